import type { Snapshot } from './snapshot.js';

/** Snapshots for tests: only what is counted, the rest as an idle process has it. */
interface Counted {
  readonly ended?: number;
  readonly failed?: number;
  readonly refused?: number;
  readonly uptimeMs?: number;
  readonly utilization?: number;
}

const NONE = { started: 0, degraded: 0, ended: 0, failed: 0, refused: 0, left: 0 };
const NO_REASONS = { 'not-ready': 0, deadline: 0, quota: 0, utilization: 0, queue: 0, evicted: 0 };

export function guardSnapshot({
  ended = 0,
  failed = 0,
  refused = 0,
  uptimeMs,
  utilization = 0.5,
}: Counted): Snapshot {
  const queue = { waiting: 0, customers: 0, expectedWaitMs: 0, boundMs: 100, isOverloaded: false };
  const guard = {
    mode: 'enforce',
    state: 'ready',
    why: 'refuses nothing',
    inFlight: 3,
    waiting: 0,
    connections: 4,
    counts: {
      SHEDDABLE: { ...NONE, refused },
      SHEDDABLE_PLUS: NONE,
      CRITICAL: { ...NONE, ended, failed },
      CRITICAL_PLUS: NONE,
    },
    refusals: {
      SHEDDABLE: { ...NO_REASONS, utilization: refused },
      SHEDDABLE_PLUS: NO_REASONS,
      CRITICAL: NO_REASONS,
      CRITICAL_PLUS: NO_REASONS,
    },
    customers: { acme: { ...NONE, ended, refused } },
    utilization: { utilization, signals: [{ name: 'queue', utilization }] },
    report: { latencyMs: 12 },
    gate: {
      limit: 64,
      running: 3,
      queue: {
        lastWaitMs: 1,
        byCriticality: { SHEDDABLE: queue, SHEDDABLE_PLUS: queue, CRITICAL: queue, CRITICAL_PLUS: queue },
      },
    },
  };
  return {
    state: 'ready',
    guard: guard as unknown as NonNullable<Snapshot['guard']>,
    ...(uptimeMs === undefined ? {} : { process: { uptimeMs } }),
  };
}

interface GatewayCounted extends Counted {
  readonly answered?: number;
  readonly backendFailed?: number;
  readonly limited?: number;
  readonly rejected?: Readonly<Record<string, number>>;
  readonly attempts?: readonly number[];
  readonly active?: number;
}

export function gatewaySnapshot(counted: GatewayCounted): Snapshot {
  const { answered = 0, backendFailed = 0, limited = 0, rejected = {}, attempts = [], active = 2 } = counted;
  const service = {
    service: 'shop',
    known: 2,
    backends: [
      {
        url: 'http://127.0.0.1:1',
        state: 'ready',
        active,
        connections: 1,
        report: { applicationUtilization: 0.8 },
      },
      {
        url: 'http://127.0.0.1:2',
        state: 'ready',
        active,
        connections: 1,
        report: { applicationUtilization: 0.4 },
      },
    ],
    active: 2 * active,
    waiting: 0,
    throttle: [
      { customer: 'acme', criticality: 'CRITICAL', requests: 10, accepts: 4, k: 2, probability: 0.2 },
    ],
    retryBudget: { requests: 100, retries: 2, remaining: 8 },
    counts: {
      outcomes: { answered, failed: backendFailed, limited: 0 },
      rejected,
      attempts,
      answered,
      failed: 0,
    },
  };
  const route = {
    service: 'shop',
    requests: 0,
    limited,
    unknown: 0,
    unverified: 0,
    staleServed: 0,
    limits: {},
  };
  return {
    ...guardSnapshot(counted),
    routes: { '/': route as unknown as NonNullable<Snapshot['routes']>[string] },
    services: { shop: service as unknown as NonNullable<Snapshot['services']>[string] },
  };
}
