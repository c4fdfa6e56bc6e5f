import { Resolver } from 'node:dns/promises';
import { checkOneOf, checkPositive, withDefaults } from '../../core/check.js';
import type { PollScheduleOptions } from './poll-schedule.js';

export interface DnsResolverOptions {
  /**
   * Which addresses: 4 (A), 6 (AAAA) or both. A process that has one of each counts as two backends: where all have
   * both, choose one.
   */
  readonly family: 4 | 6 | 'both';
  /** `dns` asks name servers and learns how long an answer holds; `lookup` asks the system, with its hosts file. */
  readonly via: 'dns' | 'lookup';
  /** Name servers, `10.0.0.53` or `10.0.0.53:5353`; none: those of the system. */
  readonly servers: readonly string[];
  /** An answer holds no shorter than this, whatever it says … */
  readonly minTtlMs: number;
  /** … and no longer than this. */
  readonly maxTtlMs: number;
  /** How long an answer holds that does not say it: by `lookup`, and SRV records. */
  readonly intervalMs: number;
  /** An answer that takes longer is none. */
  readonly timeoutMs: number;
  /** After the first failure; twice as long after each further one … */
  readonly retryMinMs: number;
  /** … up to this. */
  readonly retryMaxMs: number;
  /** From one look to one that was asked for by `refresh()`, at least. */
  readonly refreshGapMs: number;
  /** Whether "there is no such name" and "it has no addresses" are believed. */
  readonly trustEmpty: boolean;
}

export const DNS_RESOLVER_DEFAULTS: DnsResolverOptions = Object.freeze({
  family: 'both',
  via: 'dns',
  servers: Object.freeze([]),
  // Records of orchestrators say 0 to 5 s; one question a second per client is what a name server bears from a fleet.
  minTtlMs: 1_000,
  // A record that says an hour still has to change when backends move; health checks bridge a minute.
  maxTtlMs: 60_000,
  // As often as most such records would have it.
  intervalMs: 10_000,
  // Two tries of about a second; a name server that works answers within some tens of milliseconds.
  timeoutMs: 2_500,
  // What a restarting name server needs to come back.
  retryMinMs: 1_000,
  // The last answer holds meanwhile: half a minute late is soon enough, and a broken name server gets room.
  retryMaxMs: 30_000,
  // Every request that fails may ask for a look.
  refreshGapMs: 1_000,
  // A name server that has lost its zone says just that, and must not take the service with it.
  trustEmpty: false,
});

export function checkDnsOptions(part: string, given?: Partial<DnsResolverOptions>): DnsResolverOptions {
  const options = withDefaults(part, DNS_RESOLVER_DEFAULTS, given);
  checkDnsValues(options);
  return options;
}

export function checkDnsValues(options: DnsResolverOptions): void {
  if (![4, 6, 'both'].includes(options.family)) {
    throw new RangeError(`family must be 4, 6 or "both", got ${JSON.stringify(options.family)}`);
  }
  checkOneOf('via', options.via, ['dns', 'lookup']);
  for (const field of ['intervalMs', 'timeoutMs', 'refreshGapMs'] as const)
    checkPositive(field, options[field]);
  checkRange('minTtlMs', options.minTtlMs, 'maxTtlMs', options.maxTtlMs);
  checkRange('retryMinMs', options.retryMinMs, 'retryMaxMs', options.retryMaxMs);
  if (typeof options.trustEmpty !== 'boolean') {
    throw new RangeError(`trustEmpty must be true or false, got ${String(options.trustEmpty)}`);
  }
  checkServers(options);
}

function checkRange(minField: string, min: number, maxField: string, max: number): void {
  checkPositive(minField, min);
  checkPositive(maxField, max);
  if (min > max) throw new RangeError(`${minField} must be <= ${maxField}, got ${min} > ${max}`);
}

function checkServers({ servers, via }: DnsResolverOptions): void {
  if (!Array.isArray(servers)) throw new RangeError('servers must be a list of addresses');
  if (servers.length > 0 && via === 'lookup') throw new RangeError('servers cannot be chosen via lookup');
  try {
    new Resolver().setServers(servers);
  } catch (error) {
    throw new RangeError(`servers must be addresses: ${(error as Error).message}`);
  }
}

export function dnsSchedule(options: DnsResolverOptions): PollScheduleOptions {
  const { via, intervalMs, minTtlMs, maxTtlMs, retryMinMs, retryMaxMs, refreshGapMs } = options;
  const isSet = via === 'lookup';
  return {
    minMs: isSet ? intervalMs : minTtlMs,
    maxMs: isSet ? intervalMs : maxTtlMs,
    retryMinMs,
    retryMaxMs,
    refreshGapMs,
  };
}
