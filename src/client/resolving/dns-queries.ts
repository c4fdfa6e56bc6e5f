import type { LookupAddress, SrvRecord } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import type { DnsResolverOptions } from './dns-options.js';
import type { FamilyAnswer } from './known-addresses.js';

/** A try is given up within twice its timeout (the clock of Node's resolver is coarse): two tries fit into the whole. */
const TRIES = 2;

/** Questions to name servers or to the system, each answered or given up in time. */
export class DnsQueries {
  readonly #options: DnsResolverOptions;
  readonly #open = new Set<Resolver>();
  readonly #lookups = new Map<string, Promise<readonly FamilyAnswer[]>>();
  #isClosed = false;

  constructor(options: DnsResolverOptions) {
    this.#options = options;
  }

  /** Answers and failures alike, one for each family. */
  async addresses(name: string): Promise<readonly FamilyAnswer[]> {
    if (this.#options.via === 'lookup') return this.#lookupInTime(name);
    return this.#ask((resolver) =>
      Promise.all(this.#families.map((family) => resolveFamily(resolver, name, family))),
    );
  }

  services(name: string): Promise<readonly SrvRecord[]> {
    return this.#ask((resolver) => resolver.resolveSrv(name));
  }

  /** Gives up what is under way. What the system looks up cannot be given up: it ends by itself, and nobody listens. */
  close(): void {
    this.#isClosed = true;
    for (const resolver of this.#open) resolver.cancel();
  }

  get #families(): readonly (4 | 6)[] {
    const { family } = this.#options;
    return family === 'both' ? [4, 6] : [family];
  }

  /** A resolver each: giving up cancels all questions of one, and a new one reads the system's settings as they are. */
  async #ask<T>(question: (resolver: Resolver) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new Error('closed');
    const { timeoutMs, servers } = this.#options;
    const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / (2 * TRIES)), tries: TRIES });
    if (servers.length > 0) resolver.setServers(servers);
    this.#open.add(resolver);
    const timer = setTimeout(() => resolver.cancel(), timeoutMs).unref();
    try {
      return await question(resolver);
    } finally {
      clearTimeout(timer);
      this.#open.delete(resolver);
    }
  }

  /** Those that hang hold a thread of four: the same question is not asked again until it has ended. */
  async #lookupInTime(name: string): Promise<readonly FamilyAnswer[]> {
    const pending = this.#lookups.get(name) ?? this.#lookup(name);
    this.#lookups.set(name, pending);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<readonly FamilyAnswer[]>((resolve) => {
      const { timeoutMs } = this.#options;
      const error = Object.assign(new Error(`lookup ETIMEOUT ${name}`), { code: 'ETIMEOUT' });
      timer = setTimeout(() => resolve(this.#failures(error)), timeoutMs).unref();
    });
    try {
      return await Promise.race([pending, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #lookup(name: string): Promise<readonly FamilyAnswer[]> {
    const { family, intervalMs } = this.#options;
    try {
      const found = await lookup(name, { all: true, family: family === 'both' ? 0 : family });
      return this.#families.map((each) => ({
        family: each,
        records: found.filter(isOf(each)).map(({ address }) => ({ address, ttlMs: intervalMs })),
      }));
    } catch (error) {
      return this.#failures(error as Error);
    } finally {
      this.#lookups.delete(name);
    }
  }

  #failures(error: Error): readonly FamilyAnswer[] {
    return this.#families.map((family) => ({ family, records: [], error }));
  }
}

function isOf(family: 4 | 6): (found: LookupAddress) => boolean {
  return (found) => found.family === family;
}

async function resolveFamily(resolver: Resolver, name: string, family: 4 | 6): Promise<FamilyAnswer> {
  try {
    const found = await (family === 4
      ? resolver.resolve4(name, { ttl: true })
      : resolver.resolve6(name, { ttl: true }));
    return { family, records: found.map(({ address, ttl }) => ({ address, ttlMs: ttl * 1_000 })) };
  } catch (error) {
    return { family, records: [], error: error as NodeJS.ErrnoException };
  }
}
