import type { SrvRecord } from 'node:dns';
import { checkOneOf, withDefaults } from '../../core/check.js';
import { elapsedMs } from '../../core/index.js';
import {
  checkDnsValues,
  DNS_RESOLVER_DEFAULTS,
  type DnsResolverOptions,
  dnsSchedule,
} from './dns-options.js';
import { DnsQueries } from './dns-queries.js';
import { fewAtOnce } from './few-at-once.js';
import { isEmptyAnswer, KnownAddresses, type NameOutcome } from './known-addresses.js';
import { type Found, type Place, PollingResolver } from './polling-resolver.js';
import type { ResolvedBackend, Resolver } from './resolver.js';
import { groupTargets, namesOf, type SrvTarget } from './srv-targets.js';

export interface SrvResolverOptions extends DnsResolverOptions {
  /** What backends speak: the records do not say it. */
  readonly protocol: 'http:' | 'https:';
}

export const SRV_RESOLVER_DEFAULTS: SrvResolverOptions = Object.freeze({
  ...DNS_RESOLVER_DEFAULTS,
  // Between backends of one network; the records do not say it.
  protocol: 'http:',
});

/** `_service._proto.name`, underscores and all. */
const SERVICE_NAME = /^(?=.{1,253}$)[\w-]{1,63}(?:\.[\w-]{1,63})*\.?$/;

/** Eight names at once: a thousand at 20 ms each are asked in 2.5 s, and no name server notices. */
const NAMES_AT_ONCE = 8;

/** All targets together have so many times the time of one question; those not reached by then keep what is known. */
const TIMES_TIMEOUT = 4;

/**
 * Backends by SRV records, which say the ports too: `srvResolver('_http._tcp.orders.internal')`. Only the targets of
 * the most preferred priority are used, unless none of them resolves; weights are not looked at.
 */
export function srvResolver(name: string, given?: Partial<SrvResolverOptions>): Resolver {
  if (typeof name !== 'string' || !SERVICE_NAME.test(name)) {
    throw new RangeError(
      `name must be that of SRV records, "_http._tcp.orders.internal", got ${JSON.stringify(name)}`,
    );
  }
  const options = withDefaults('srvResolver', SRV_RESOLVER_DEFAULTS, given);
  checkOneOf('protocol', options.protocol, ['http:', 'https:']);
  checkDnsValues(options);
  // The system's lookup knows no such records.
  if (options.via === 'lookup') throw new RangeError('via must be "dns" for SRV records, got "lookup"');
  return new PollingResolver('srv', name, dnsSchedule(options), new SrvTargets(name, options));
}

type Outcomes = ReadonlyMap<string, NameOutcome>;

class SrvTargets implements Place {
  readonly #name: string;
  readonly #options: SrvResolverOptions;
  readonly #queries: DnsQueries;
  /** Of the targets of the last look. */
  #known = new Map<string, KnownAddresses>();

  constructor(name: string, options: SrvResolverOptions) {
    this.#name = name;
    this.#options = options;
    this.#queries = new DnsQueries(options);
  }

  close(): void {
    this.#queries.close();
  }

  async look(): Promise<Found> {
    const groups = groupTargets(await this.#records());
    const names = groups.flatMap(namesOf);
    this.#known = new Map(names.map((name) => [name, this.#known.get(name) ?? new KnownAddresses()]));
    const beganMs = performance.now();
    const failures: NameOutcome[] = [];
    for (const group of groups) {
      const outcomes = await this.#resolve(group, beganMs);
      const all = [...outcomes.values()];
      if (all.some(({ kind }) => kind === 'found')) return this.#found(group, outcomes);
      failures.push(...all);
    }
    return this.#none(failures);
  }

  /** No records: an empty list, which is then believed or not. */
  async #records(): Promise<readonly SrvRecord[]> {
    try {
      return await this.#queries.services(this.#name);
    } catch (error) {
      if (this.#options.trustEmpty && isEmptyAnswer(error as NodeJS.ErrnoException)) return [];
      throw error;
    }
  }

  async #resolve(group: readonly SrvTarget[], beganMs: number): Promise<Outcomes> {
    const outcomes = new Map<string, NameOutcome>();
    const mostMs = TIMES_TIMEOUT * this.#options.timeoutMs;
    await fewAtOnce(namesOf(group), NAMES_AT_ONCE, async (name) => {
      const isLate = elapsedMs(beganMs, performance.now()) > mostMs;
      outcomes.set(name, isLate ? failed(new Error('out of time')) : await this.#learn(name));
    });
    return outcomes;
  }

  async #learn(name: string): Promise<NameOutcome> {
    try {
      return this.#known.get(name)!.learn(await this.#queries.addresses(name));
    } catch (error) {
      return failed(error as Error);
    }
  }

  #found(group: readonly SrvTarget[], outcomes: Outcomes): Found {
    let validMs = this.#options.intervalMs;
    for (const [name, outcome] of outcomes) {
      if (outcome.kind === 'found') validMs = Math.min(validMs, outcome.ttlMs);
      // Others resolve, so the name server works, and this one may be believed to be gone.
      if (outcome.kind === 'empty') this.#known.get(name)?.forget();
    }
    const backends = group.flatMap((target) => this.#backends(target));
    return { backends, validMs, problem: problemOf([...outcomes.values()]) };
  }

  #backends({ name, port }: SrvTarget): ResolvedBackend[] {
    const hosts = this.#known.get(name)?.hosts ?? [];
    return hosts.map((host) => ({
      url: `${this.#options.protocol}//${host}:${port}`,
      host: `${name}:${port}`,
    }));
  }

  /** Nothing resolves. That there is nothing is believed only when told to, and when nothing failed. */
  #none(failures: readonly NameOutcome[]): Found {
    const isSure = failures.every(({ kind }) => kind === 'empty');
    if (isSure && this.#options.trustEmpty) return { backends: [], validMs: this.#options.intervalMs };
    throw problemOf(failures) ?? new Error('no targets');
  }
}

function failed(error: Error): NameOutcome {
  return { kind: 'failed', error };
}

function problemOf(outcomes: readonly NameOutcome[]): Error | undefined {
  for (const outcome of outcomes) if (outcome.kind !== 'found') return outcome.error;
  return undefined;
}
