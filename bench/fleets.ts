import type { PolicyName } from 'plimsoll/core';
import { Fleet, type FleetInput } from 'plimsoll/simulator';
import { collectGarbage } from './measure.js';
import type { Check, Report } from './report.js';

/** Requests of one client, and so of one backend: 100,000 a second for a thousand of each. */
const PER_SECOND = 100;

/** Enough for code to be compiled, and for several collections of garbage. */
const REQUESTS = 300_000;

function fleetOf(size: number, policy: PolicyName): FleetInput {
  return {
    warmupMs: 1_000,
    durationMs: (REQUESTS / size / PER_SECOND) * 1_000,
    // Two of four cores busy: nobody waits for long, and each request is simulated from end to end.
    services: { web: { backends: [{ count: size, cores: 4 }], costMs: { exponential: { mean: 20 } } } },
    clients: {
      callers: {
        count: size,
        service: 'web',
        arrivals: PER_SECOND,
        policy,
        subset: { size: Math.min(size, 20) },
      },
    },
  };
}

interface Row {
  readonly policy: PolicyName;
  /** So many clients and so many backends. */
  readonly size: number;
  readonly microsecondsPerRequest: number;
  readonly eventsPerRequest: number;
  readonly eventsPerSecond: number;
  readonly megabytes: number;
}

function cost(size: number, policy: PolicyName): Row {
  const fleet = new Fleet(fleetOf(size, policy), { seed: 1 });
  const start = performance.now();
  fleet.run();
  const tookMs = performance.now() - start;
  const requests = fleet.group('callers').traffic.all.offered * (1 + 1_000 / fleet.spec.durationMs);
  collectGarbage();
  return {
    policy,
    size,
    microsecondsPerRequest: (tookMs * 1_000) / requests,
    eventsPerRequest: fleet.kernel.events / requests,
    eventsPerSecond: fleet.kernel.events / (tookMs / 1_000),
    megabytes: process.memoryUsage().heapUsed / 1e6,
  };
}

/** What a simulated request costs, and how that grows with the fleet: with what fits into caches, not with the number. */
export function benchFleets(): Report {
  cost(10, 'prequal'); // compiles
  const policies: PolicyName[] = ['round-robin', 'weighted', 'prequal'];
  const rows = policies.flatMap((policy) => [10, 100, 1_000].map((size) => cost(size, policy)));
  const checks = policies.map((policy): Check => {
    const [small, , large] = rows.filter((row) => row.policy === policy);
    const value = large!.eventsPerRequest / small!.eventsPerRequest;
    return {
      name: `${policy}: events a request, 1,000 over 10`,
      value,
      bound: '<= 1.1',
      holds: value <= 1.1,
    };
  });
  return { bench: 'fleets', rows, checks };
}
