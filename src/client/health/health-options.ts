import { checkInteger, checkOneOf, checkPositive, checkWithin, withDefaults } from '../../core/check.js';
import { PAGE_VERDICT_DEFAULTS } from '../../core/index.js';

/** How a client asks backends how they are, apart from requests: rarely those that nobody calls. */
export interface HealthOptions {
  /** How backends are asked: by UDP and, where that is closed, by HTTP; by one of them alone; or not at all. */
  readonly mode: 'auto' | 'udp' | 'http' | 'off';
  /** Where UDP is answered; undefined is the port of the backend's URL. */
  readonly udpPort: number | undefined;
  /** What the paths of health pages begin with. */
  readonly prefix: string;
  /**
   * A page of a backend that need not know Plimsoll: it is asked for by HTTP alone, as often whoever calls, and its status
   * says how the backend is. A line of ours in it says more.
   */
  readonly path: string | undefined;
  /** So many answers of that page in a row that are not 2xx, or none at all, and the backend is sent nothing … */
  readonly unhealthyAfter: number;
  /** … until so many in a row are. */
  readonly healthyAfter: number;
  /** How often a backend is asked that requests go to. */
  readonly activeMs: number;
  /** How often one that nobody calls, at first; it doubles with each check. */
  readonly inactiveMs: number;
  /** … up to this. */
  readonly mostInactiveMs: number;
  /** How often one that is down, at first; it grows by half with each check. Attempts at a connection go the same way. */
  readonly downMs: number;
  /** … up to this. */
  readonly mostDownMs: number;
  /** All of these are spread by so much of themselves, up and down. */
  readonly jitter: number;
  /** A check by UDP without an answer for so long is unanswered. */
  readonly answerTimeoutMs: number;
  /** A page, or the first line of a stream, has so long to come. */
  readonly httpTimeoutMs: number;
  /** A stream without a line for so long is broken. */
  readonly watchSilenceMs: number;
  /** So many checks unanswered in a row are silence. */
  readonly silentAfter: number;
  /** How long a way that did not work is left alone while another does. */
  readonly retryWayMs: number;
  /** How long a backend that has no health is left alone. */
  readonly retryNoneMs: number;
  /** So many streams are held open at once; who comes later is asked page by page. */
  readonly maxWatches: number;
  /** So many pages are asked for at once; who comes later has its turn with the next check. */
  readonly maxPages: number;
  /** So many probes are outstanding at once; one more is not sent. */
  readonly maxProbes: number;
}

export const HEALTH_DEFAULTS: HealthOptions = Object.freeze({
  mode: 'auto',
  udpPort: undefined,
  prefix: '/plimsoll',
  path: undefined,
  ...PAGE_VERDICT_DEFAULTS,
  // As often as weights are reckoned anew from what is reported (gRFC A58).
  activeMs: 1_000,
  inactiveMs: 5_000,
  // A server tells a client of changes for a minute after its last check: one may be lost, and mostly two.
  mostInactiveMs: 20_000,
  // A process that starts again takes about a second: seen within a quarter of that.
  downMs: 250,
  // Who waits for capacity waits no longer for word of it than a retry-after asks for.
  mostDownMs: 5_000,
  // Clients that began together are spread over the whole interval after some six checks.
  jitter: 0.2,
  // The far side of the world is 300 ms away, but its backends are not asked; next door it is less than one. A pause of
  // garbage collection takes some tens. An answer that comes later still counts.
  answerTimeoutMs: 200,
  // A lookup, a connection and a handshake of TLS, each lost once and sent again after 200 ms.
  httpTimeoutMs: 1_000,
  // Lines come each second: three missing, and half a second for a slow one.
  watchSilenceMs: 3_500,
  // With one datagram in ten lost each way, three checks of a backend that is well fail once in 150.
  silentAfter: 3,
  // What blocks UDP is changed by people, who wait half a minute for the effect without a second thought.
  retryWayMs: 30_000,
  // What has no health today has it after the next release.
  retryNoneMs: 60_000,
  // As many as one server holds by default; a descriptor each.
  maxWatches: 1_000,
  // A connection each, for milliseconds: 128 at 10 ms are 12,800 backends a second.
  maxPages: 128,
  // Prequal at three probes a request, 3,000 requests a second and 100 ms is 900.
  maxProbes: 1_024,
});

const MOST_PORT = 65_535;

export function checkHealthOptions(given?: Partial<HealthOptions>): HealthOptions {
  const options = withDefaults('health', defaultsFor(given), given);
  checkOneOf('mode', options.mode, ['auto', 'udp', 'http', 'off']);
  if (options.udpPort !== undefined) checkInteger('udpPort', options.udpPort, 1, MOST_PORT);
  checkPrefix(options.prefix);
  if (options.path !== undefined) checkPath(options.path, options.mode);
  checkInteger('unhealthyAfter', options.unhealthyAfter, 1);
  checkInteger('healthyAfter', options.healthyAfter, 1);
  checkPositive('activeMs', options.activeMs);
  checkPositive('inactiveMs', options.inactiveMs);
  checkAtLeast('mostInactiveMs', options.mostInactiveMs, 'inactiveMs', options.inactiveMs);
  checkPositive('downMs', options.downMs);
  checkAtLeast('mostDownMs', options.mostDownMs, 'downMs', options.downMs);
  // All of it would be no pause at all.
  checkWithin('jitter', options.jitter, 0, 0.9);
  checkPositive('answerTimeoutMs', options.answerTimeoutMs);
  checkPositive('httpTimeoutMs', options.httpTimeoutMs);
  checkPositive('watchSilenceMs', options.watchSilenceMs);
  checkInteger('silentAfter', options.silentAfter, 1);
  checkPositive('retryWayMs', options.retryWayMs);
  checkPositive('retryNoneMs', options.retryNoneMs);
  checkInteger('maxWatches', options.maxWatches, 0);
  checkInteger('maxPages', options.maxPages, 1);
  checkInteger('maxProbes', options.maxProbes, 0);
  return options.path === undefined ? options : { ...options, mode: 'http' };
}

/** Nothing is pushed by whoever has only a page: one that nobody calls, or that is ill, is asked as often as any other. */
function defaultsFor(given: Partial<HealthOptions> | undefined): HealthOptions {
  if (given?.path === undefined) return HEALTH_DEFAULTS;
  const { activeMs = HEALTH_DEFAULTS.activeMs } = given;
  const downMs = Math.min(HEALTH_DEFAULTS.downMs, activeMs);
  return {
    ...HEALTH_DEFAULTS,
    inactiveMs: activeMs,
    mostInactiveMs: Math.max(activeMs, given.inactiveMs ?? 0),
    downMs,
    mostDownMs: Math.max(activeMs, given.downMs ?? 0),
  };
}

function checkAtLeast(field: string, value: number, of: string, least: number): void {
  if (checkPositive(field, value) >= least) return;
  throw new RangeError(`${field} must be >= ${of} (${least}), got ${value}`);
}

/** Visible ASCII from a slash on: anything else would be no path, or the end of the request's first line. */
function checkPrefix(prefix: unknown): void {
  if (typeof prefix === 'string' && /^(\/[!-"$-.0->@-~]+)+$/.test(prefix)) return;
  throw new RangeError(`prefix must be a path that begins with a slash and ends without one, got ${prefix}`);
}

/** With a query, if it likes: it is sent as it is. */
function checkPath(path: unknown, mode: HealthOptions['mode']): void {
  if (typeof path !== 'string' || !/^\/[!-"$-~]*$/.test(path))
    throw new RangeError(`path must be a path that begins with a slash, got ${JSON.stringify(path)}`);
  if (mode === 'udp' || mode === 'off')
    throw new RangeError(`mode must be auto or http with a path, which is asked for by HTTP, got "${mode}"`);
}
