import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkInteger, checkPositive, withDefaults } from '../../core/check.js';
import {
  encodeHealthLine,
  encodeLoadReport,
  LAME_DUCK_HEADERS,
  LOAD_REPORT_HEADER,
} from '../../wire/index.js';
import type { HealthSource } from './health-source.js';
import { WatchStreams } from './watch-streams.js';

/** Where health pages are, and how many may watch. */
export interface HealthPagesOptions {
  /** What the paths begin with. */
  readonly prefix: string;
  /** A watch stream says so often how it is, also when nothing changes. */
  readonly heartbeatMs: number;
  /** So many watch at once; more are refused. */
  readonly maxWatchers: number;
}

export const HEALTH_PAGES_DEFAULTS: HealthPagesOptions = Object.freeze({
  prefix: '/plimsoll',
  // As often as clients reweigh by what is reported (gRFC A58).
  heartbeatMs: 1_000,
  // A connection each, held open: 1000 cost about 1 % of a core at that rate.
  maxWatchers: 1_000,
});

const LAME_DUCK = [...LAME_DUCK_HEADERS];

/**
 * Health by HTTP, to be asked before anything is refused: `/live` (the process answers), `/ready` (it wants requests) and
 * `/watch`, a stream of lines that tells of each change where UDP is not to be had. A caller that is not trusted learns
 * what an orchestrator needs, the status; not how loaded it is, and it may not hold connections open.
 */
export class HealthPages {
  readonly #source: HealthSource;
  readonly #prefix: string;
  readonly #streams: WatchStreams;

  constructor(source: HealthSource, given?: Partial<HealthPagesOptions>) {
    const { prefix, heartbeatMs, maxWatchers } = withDefaults('health', HEALTH_PAGES_DEFAULTS, given);
    if (typeof prefix !== 'string' || !prefix.startsWith('/') || prefix.endsWith('/')) {
      throw new RangeError(`prefix must begin with a slash and end without one, got ${String(prefix)}`);
    }
    this.#source = source;
    this.#prefix = prefix;
    this.#streams = new WatchStreams(
      source,
      checkPositive('heartbeatMs', heartbeatMs),
      checkInteger('maxWatchers', maxWatchers, 0),
    );
  }

  get watchers(): number {
    return this.#streams.size;
  }

  /** Whether the request was for one of these pages; it is answered then. */
  handle(req: IncomingMessage, res: ServerResponse, isTrusted: boolean): boolean {
    const page = this.#pageOf(req.url ?? '');
    if (page === undefined) return false;
    const state = this.#source.state();
    if (req.method !== 'GET' && req.method !== 'HEAD') this.#answer(res, 405, '', ['allow', 'GET, HEAD']);
    else if (page === 'live') this.#answer(res, 200, `{"state":"${state}"}`, []);
    else if (page === 'ready') this.#ready(res, isTrusted);
    else if (!isTrusted) this.#answer(res, 403, '', []);
    else if (req.method === 'HEAD') this.#answer(res, 200, '', []);
    else if (!this.#streams.add(res)) this.#answer(res, 503, '', ['retry-after', '1']);
    return true;
  }

  /** Ends all watch streams: a drain waits for connections, and these never end by themselves. */
  close(): void {
    this.#streams.close();
  }

  #pageOf(url: string): 'live' | 'ready' | 'watch' | undefined {
    if (!url.startsWith(this.#prefix)) return undefined;
    const query = url.indexOf('?');
    const page = url.slice(this.#prefix.length, query < 0 ? url.length : query);
    if (page === '/live') return 'live';
    if (page === '/ready') return 'ready';
    return page === '/watch' ? 'watch' : undefined;
  }

  #ready(res: ServerResponse, isTrusted: boolean): void {
    const state = this.#source.state();
    const report = isTrusted ? this.#source.loadReport() : {};
    const headers = state === 'lame-duck' ? LAME_DUCK : [];
    const load = encodeLoadReport(report);
    this.#answer(
      res,
      state === 'ready' ? 200 : 503,
      encodeHealthLine({ state, report }),
      load === '' ? headers : [LOAD_REPORT_HEADER, load, ...headers],
    );
  }

  #answer(res: ServerResponse, status: number, body: string, headers: readonly string[]): void {
    const length = String(body.length);
    const common = [
      'content-type',
      'application/json',
      'cache-control',
      'no-store',
      'content-length',
      length,
    ];
    res.writeHead(status, [...common, ...headers]);
    res.end(body);
  }
}
