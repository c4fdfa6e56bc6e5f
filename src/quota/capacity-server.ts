import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type CapacitySnapshot, readCapacityAsk, readCapacityRelease } from '../core/index.js';
import { isAddress } from './ask-targets.js';
import { type CapacityAction, MASTER_HEADER, readCapacityPath } from './capacity-path.js';
import {
  type CapacityServerSettings,
  checkServerSettings,
  parentOptions,
} from './capacity-server-options.js';
import { CapacityTerms } from './capacity-terms.js';
import { type Bound, Listener, type ListenOptions } from './listener.js';
import { readBody } from './read-body.js';

export interface CapacityServerSnapshot {
  readonly isMaster: boolean;
  /** Of the term, greater than that of all terms before. undefined without mastership. */
  readonly token: number | undefined;
  /** Empty while it is not master. */
  readonly resources: Readonly<Record<string, CapacitySnapshot>>;
  readonly counts: Readonly<CapacityCounts>;
}

export interface CapacityCounts {
  granted: number;
  /** Asks that were not answered by a grant: it is not master, or there is no news. */
  notGranted: number;
  released: number;
  /** Bodies that were no message, too long or too slow. */
  unreadable: number;
}

/** Without mastership there is one term, and it never ends. */
const ONLY_TERM = 0;

/** Hands out capacity by HTTP, for a time: `POST /capacity/<resource>/ask` and `…/release`. */
export class CapacityServer {
  readonly #settings: CapacityServerSettings;
  readonly #terms: CapacityTerms;
  readonly #counts: CapacityCounts = { granted: 0, notGranted: 0, released: 0, unreadable: 0 };
  readonly #listener = new Listener((req, res) => void this.#serve(req, res));
  readonly #started: Promise<void>;
  readonly #onTerm = () => void this.#placesNow();
  #bodies = 0;
  #isClosed = false;

  constructor(given: Partial<CapacityServerSettings>) {
    const settings = checkServerSettings(given);
    this.#settings = settings;
    const { resources, mastership, address } = settings;
    this.#terms = new CapacityTerms(resources, parentOptions(settings, randomBytes(4).toString('hex')));
    if (address !== undefined) mastership?.announce(address);
    mastership?.on('won', this.#onTerm).on('lost', this.#onTerm);
    this.#started = mastership?.start() ?? Promise.resolve();
    this.#started.catch((error) => process.emitWarning(`there is no mastership: ${error.message}`));
    this.#placesNow();
  }

  /** Answers if it is for this server: false otherwise. Never rejects. */
  async handle(req: IncomingMessage, res: ServerResponse): Promise<boolean> {
    const path = readCapacityPath(req.url ?? '');
    if (path === undefined) return false;
    if (req.method !== 'POST') this.#answer(res, 405, undefined, { allow: 'POST' });
    else if (!this.#terms.has(path.resource)) this.#answer(res, 404);
    else if (this.#bodies >= this.#settings.maxBodies)
      this.#answer(res, 503, undefined, { 'retry-after': '1' });
    else await this.#read(req, res, path.resource, path.action);
    return true;
  }

  /** Listens by itself. Resolves with where. */
  async listen(options: ListenOptions = {}): Promise<Bound> {
    const { mastership, address } = this.#settings;
    const bound = await this.#listener.listen(options);
    if (address === undefined) mastership?.announce(bound.url);
    await this.#started;
    return bound;
  }

  setCapacity(resource: string, capacity: number): void {
    this.#placesNow();
    this.#terms.setCapacity(performance.now(), resource, capacity);
  }

  snapshot(): CapacityServerSnapshot {
    const places = this.#placesNow();
    const now = performance.now();
    return {
      isMaster: places.size > 0,
      token: this.#settings.mastership?.token,
      resources: Object.fromEntries([...places].map(([name, place]) => [name, place.snapshot(now)])),
      counts: { ...this.#counts },
    };
  }

  /** Hands out nothing from here on; another one may become master at once. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#placesNow();
    const { mastership } = this.#settings;
    mastership?.off('won', this.#onTerm).off('lost', this.#onTerm);
    await Promise.all([mastership?.close(), this.#listener.close()]);
  }

  /** By the clock of this instant: a term may have ended while nobody looked. */
  #placesNow() {
    const { mastership } = this.#settings;
    const token = mastership === undefined ? ONLY_TERM : mastership.token;
    return this.#terms.enter(performance.now(), this.#isClosed ? undefined : token);
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (!(await this.handle(req, res))) this.#answer(res, 404);
  }

  async #read(req: IncomingMessage, res: ServerResponse, resource: string, action: CapacityAction) {
    this.#bodies++;
    const body = await readBody(req, this.#settings.bodyMs);
    this.#bodies--;
    const message = 'value' in body ? body.value : undefined;
    if ('status' in body) this.#refuse(res, body.status);
    else if (action === 'ask') this.#ask(res, resource, message);
    else this.#release(res, resource, message);
  }

  #ask(res: ServerResponse, resource: string, message: unknown): void {
    const ask = readCapacityAsk(message);
    if (ask === undefined) {
      this.#refuse(res, 400);
      return;
    }
    const place = this.#placesNow().get(resource);
    const grant = place?.refresh(performance.now(), ask);
    this.#counts[grant === undefined ? 'notGranted' : 'granted']++;
    if (grant !== undefined) this.#answer(res, 200, JSON.stringify(grant));
    else this.#answer(res, 503, undefined, place === undefined ? this.#whoIsMaster() : {});
  }

  #release(res: ServerResponse, resource: string, message: unknown): void {
    const release = readCapacityRelease(message);
    const place = this.#placesNow().get(resource);
    if (release === undefined) this.#refuse(res, 400);
    else if (place === undefined) this.#answer(res, 503, undefined, this.#whoIsMaster());
    else {
      place.release(release);
      this.#counts.released++;
      this.#answer(res, 204);
    }
  }

  #whoIsMaster(): Record<string, string> {
    const address = this.#settings.mastership?.address ?? '';
    return !isAddress(address) ? {} : { [MASTER_HEADER]: address };
  }

  #refuse(res: ServerResponse, status: number): void {
    this.#counts.unreadable++;
    this.#answer(res, status);
  }

  #answer(res: ServerResponse, status: number, body = '', headers: Record<string, string> = {}): void {
    if (res.destroyed || res.headersSent) return;
    // The rest of a body that was not read to its end is not waited for.
    const isCut = !res.req.complete && res.req.httpVersionMajor === 1;
    const type = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
    res.writeHead(status, {
      'cache-control': 'no-store',
      ...(status === 204 ? {} : type),
      ...(isCut ? { connection: 'close' } : {}),
      ...headers,
    });
    res.end(body);
  }
}

/** A server of capacities, or one below another: `const server = createCapacityServer({ resources: { gpu: { capacity: 500 } } })`. */
export function createCapacityServer(
  options: Partial<CapacityServerSettings> & Pick<CapacityServerSettings, 'resources'>,
): CapacityServer {
  return new CapacityServer(options);
}
