import type { FleetInput } from '../fleet/index.js';

/** SRE ch. 21, "Per-Customer Limits": of 10,000 CPUs. They add up to much more. */
const QUOTAS: Readonly<Record<string, number>> = {
  gmail: 4_000,
  calendar: 4_000,
  android: 3_000,
  'google+': 2_000,
};
const EVERYONE_ELSE = 500;
const CPUS = 10_000;
const CORES = 10;

/** What some want, in CPU-seconds a second; three of them nine tenths of their quotas. */
const WANTS: Readonly<Record<string, number>> = {
  gmail: 1_200,
  calendar: 800,
  android: 600,
  'google+': 1_800,
  greedy: 400,
  eager: 450,
  keen: 450,
};
/** Two hundred customers in all. Each of these wants less of a backend than a request in a minute. */
const OTHERS = Array.from({ length: 193 }, (_, index) => `other-${index}`);
const OTHER_WANTS = 5;

/** In the end, one wants so many times its quota. */
const EXCESS = 20;

/** Each customer has so many clients, which divide the backends among them. */
const CLIENTS = 20;

/** Between the most and the least that a client wants, all orders of magnitude alike (nearly: a shape of 0 would be so). */
const UNEVEN = { pareto: { least: 1, shape: 0.01, most: 100 } };

/** The least critical half of what the offender wants. */
export const BATCH = 'batch';

export interface QuotaFleetOptions {
  /** Part of the text's size. */
  readonly scale: number;
  readonly costMs: number;
  readonly offender: string;
  readonly isUneven?: boolean;
  /** The part of it that all others want: where some backends get several times the mean, less fits. 1 unless said. */
  readonly othersShare?: number;
  readonly surgeMs: number;
  readonly warmupMs: number;
  readonly durationMs: number;
  readonly faults?: FleetInput['faults'];
}

export const CUSTOMERS: readonly string[] = [...Object.keys(WANTS), ...OTHERS];

/** CPU-seconds a second. */
export function quotaOf(customer: string, scale: number): number {
  return (QUOTAS[customer] ?? EVERYONE_ELSE) * scale;
}

/** Groups of clients are named as their customers are. `surgeMs` is of the measured time. */
export function quotaFleet(options: QuotaFleetOptions): FleetInput {
  const { scale, costMs, offender, warmupMs, durationMs, faults = [] } = options;
  const count = (CPUS / CORES) * scale;
  const customers = Object.keys(QUOTAS).map((customer) => [customer, quotaOf(customer, scale)] as const);
  const quota = { customers: Object.fromEntries(customers), everyoneElse: EVERYONE_ELSE * scale };
  const clients = CUSTOMERS.map((customer) => [customer, clientsOf(options, customer)] as const);
  const batch = { ...clientsOf(options, offender), criticality: 'SHEDDABLE' } as const;
  return {
    warmupMs,
    durationMs,
    services: { store: { backends: [{ count, cores: CORES }], costMs, quota } },
    clients: { ...Object.fromEntries(clients), [BATCH]: batch },
    faults,
  };
}

function clientsOf(options: QuotaFleetOptions, customer: string): FleetInput['clients'][string] {
  const { scale, costMs, offender, isUneven = false, othersShare = 1, warmupMs, surgeMs } = options;
  const isOffender = customer === offender;
  const wants = (WANTS[customer] ?? OTHER_WANTS) * scale * (isOffender ? 1 : othersShare);
  const factor = (quotaOf(customer, scale) * EXCESS) / wants;
  return {
    service: 'store',
    customer,
    count: CLIENTS,
    subset: { size: Math.ceil(((CPUS / CORES) * scale) / CLIENTS) },
    policy: 'round-robin',
    // What a client does about refusals would hide them.
    throttle: false,
    retry: { maxAttempts: 1 },
    ejects: false,
    activeLimit: 1_000,
    deadlineMs: costMs * 5,
    demand: isUneven ? UNEVEN : 1,
    arrivals: {
      perSecond: (wants * 1_000) / costMs / CLIENTS / (isOffender ? 2 : 1),
      steps: isOffender ? [{ atMs: warmupMs + surgeMs, factor }] : [],
    },
  };
}
