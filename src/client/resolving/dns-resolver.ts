import { isIP } from 'node:net';
import { checkOrigin } from './backends.js';
import { checkDnsOptions, type DnsResolverOptions, dnsSchedule } from './dns-options.js';
import { DnsQueries } from './dns-queries.js';
import { KnownAddresses } from './known-addresses.js';
import { type Found, type Place, PollingResolver } from './polling-resolver.js';
import type { ResolvedBackend, Resolver } from './resolver.js';

/**
 * A backend for each address of a name: `dnsResolver('http://orders.internal:8080')`. It asks again when the answer has
 * run out. While no answer is to be had the last one holds.
 */
export function dnsResolver(origin: string, given?: Partial<DnsResolverOptions>): Resolver {
  const url = checkOrigin('origin', origin);
  if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) {
    throw new RangeError(
      `origin must have a name to look up (an address is for staticResolver), got "${origin}"`,
    );
  }
  const options = checkDnsOptions('dnsResolver', given);
  return new PollingResolver('dns', url.host, dnsSchedule(options), new NamedAddresses(url, options));
}

class NamedAddresses implements Place {
  readonly #url: URL;
  readonly #options: DnsResolverOptions;
  readonly #queries: DnsQueries;
  readonly #known = new KnownAddresses();

  constructor(url: URL, options: DnsResolverOptions) {
    this.#url = url;
    this.#options = options;
    this.#queries = new DnsQueries(options);
  }

  async look(): Promise<Found> {
    const outcome = this.#known.learn(await this.#queries.addresses(this.#url.hostname));
    if (outcome.kind === 'found') return { backends: this.#backends(), validMs: outcome.ttlMs };
    if (outcome.kind === 'failed') throw outcome.error;
    if (!this.#options.trustEmpty) throw this.#withHint(outcome.error);
    this.#known.forget();
    return { backends: [], validMs: this.#options.intervalMs };
  }

  close(): void {
    this.#queries.close();
  }

  /** `localhost` and whatever else stands in a hosts file is known to the system, and to no name server. */
  #withHint(error: Error): Error {
    if (this.#options.via === 'lookup') return error;
    const hint = 'name servers were asked; via: lookup asks the system, with its hosts file';
    return new Error(`${error.message} (${hint})`, { cause: error });
  }

  #backends(): ResolvedBackend[] {
    const { protocol, port, host } = this.#url;
    const suffix = port === '' ? '' : `:${port}`;
    return this.#known.hosts.map((address) => ({ url: `${protocol}//${address}${suffix}`, host }));
  }
}
