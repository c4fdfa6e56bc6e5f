import type { IncomingMessage } from 'node:http';
import { checkInteger, checkNonNegative, checkPositive, withDefaults } from '../../core/check.js';

/** Stale copies are kept only where they are asked for: an answer that depends on what is in no key must not be shared. */
export interface StaleOptions {
  /** Copies at the most … */
  readonly maxEntries: number;
  /** … and bytes they take together, headers and keys included. */
  readonly maxBytes: number;
  /** Larger answers are not copied. */
  readonly maxBodyBytes: number;
  /** How long past its freshness a copy may be served, where the answer itself allows it or is silent. */
  readonly maxStaleMs: number;
  /** A copy younger than this is not made anew. */
  readonly refreshMs: number;
  /** Also answer requests that would be refused, not only those that are to be degraded. */
  readonly serveInsteadOfRefusing: boolean;
  /** Request headers that make an answer somebody's own, unless it says `public`. Lower case. */
  readonly credentials: readonly string[];
  /** Request headers that are part of every key, beside those in `Vary`. Lower case. */
  readonly keyHeaders: readonly string[];
  /** A part of every key: what else answers depend on, say the customer. */
  readonly partition: ((req: IncomingMessage) => string) | undefined;
}

export const STALE_DEFAULTS: StaleOptions = Object.freeze({
  // A thousand of 16 KB, which most pages and JSON answers stay below, compressed.
  maxEntries: 1_000,
  maxBytes: 16 * 2 ** 20,
  // No answer pushes out more than a hundred others.
  maxBodyBytes: 128 * 2 ** 10,
  // What many ask for is answered in full now and then even at 10 ×, and copied again; a minute covers what fewer do.
  maxStaleMs: 60_000,
  // What is asked for a thousand times a second is copied once.
  refreshMs: 1_000,
  // Core's thresholds degrade first and refuse "when even those are too much" (SRE ch. 21). A copy of 2 KB takes 1.5 × the
  // CPU of a refusal by `writeHead` (23 µs, 15 µs): at 10 × that is capacity, which the user may prefer to give.
  serveInsteadOfRefusing: false,
  // RFC 9111 3.5 knows Authorization alone. But servers that were never behind a cache do not say `private`, and answer by
  // session or API key.
  credentials: Object.freeze([
    'authorization',
    'proxy-authorization',
    'cookie',
    'x-api-key',
    'x-auth-token',
    'x-access-token',
    'x-csrf-token',
    'x-plimsoll-customer',
  ]),
  // Where the client says it has come to. Frameworks build links and redirects from them and name them in no `Vary`: out of
  // the key, one request with a forged one gives everybody a page that links to the forger (Kettle, "Practical Web Cache
  // Poisoning", 2018).
  keyHeaders: Object.freeze([
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-forwarded-scheme',
    'x-forwarded-port',
    'x-forwarded-prefix',
    'x-forwarded-server',
    'x-host',
    'x-original-host',
  ]),
  partition: undefined,
});

export function staleOptions(given?: Partial<StaleOptions>): StaleOptions {
  const options = withDefaults('stale', STALE_DEFAULTS, given);
  checkInteger('maxEntries', options.maxEntries, 1);
  checkInteger('maxBytes', options.maxBytes, 1);
  checkInteger('maxBodyBytes', options.maxBodyBytes, 0, options.maxBytes);
  checkPositive('maxStaleMs', options.maxStaleMs);
  checkNonNegative('refreshMs', options.refreshMs);
  if (typeof options.serveInsteadOfRefusing !== 'boolean') {
    const given = JSON.stringify(options.serveInsteadOfRefusing);
    throw new RangeError(`serveInsteadOfRefusing must be true or false, got ${given}`);
  }
  if (options.partition !== undefined && typeof options.partition !== 'function') {
    throw new RangeError(`partition must be a function, got ${JSON.stringify(options.partition)}`);
  }
  checkNames('credentials', options.credentials);
  checkNames('keyHeaders', options.keyHeaders);
  return options;
}

/** Node has headers in lower case: another spelling would never be found, in silence. */
function checkNames(field: string, names: readonly string[]): void {
  for (const name of names) {
    if (typeof name !== 'string' || name === '' || name !== name.toLowerCase()) {
      throw new RangeError(`${field} must be header names in lower case, got ${JSON.stringify(name)}`);
    }
  }
}
