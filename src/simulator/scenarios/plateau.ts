import { type Fleet, type FleetInput, requestRows } from '../fleet/index.js';
import type { Figure, Line, LinePanel } from '../report/figure.js';
import { atLeast, atMost, type Row } from '../report/result.js';
import { runFleets } from './run-fleets.js';
import type { Scenario } from './scenario.js';

/**
 * Plateau (Uber, "Cinnamon: Using Century Old Tech to Build a Mean Load Shedder"): two servers of 650/s each, 78 slots
 * of 120 ms, whose clients wait for a second at the most, are offered from 700 to 4,000 requests a second. A plain load
 * shedder fell to 552 of the 1,300/s; Cinnamon stayed on the plateau. SRE ch. 21: a server "should continue to serve
 * traffic at that rate without any significant impact on latency, regardless of how much excess traffic is thrown at
 * it".
 *
 * Claimed: at 3,000/s and at 4,000/s at least 95 % of 1,300/s are served in time, and the median of the most critical
 * requests is at most 180 ms. The servers are not told how many slots they have. Their clients do not help: no throttle,
 * no flow control, no retries. Beside them the same servers without a guard.
 */
const SERVERS = 2;
const SLOTS = 78;
const SERVICE_MS = 120;
const CAPACITY_PER_SECOND = (SERVERS * SLOTS * 1_000) / SERVICE_MS;
const CLIENTS = 20;

/** Half of the capacity, around it, and far beyond. */
const LOADS = [700, 1_000, 1_300, 1_600, 2_000, 3_000, 4_000];
const CHECKED = [3_000, 4_000];

/** From 2,600/s on what is CRITICAL alone is more than fits: thresholds alone do not do it. */
const CRITICALITIES = { CRITICAL_PLUS: 1, CRITICAL: 4, SHEDDABLE_PLUS: 2, SHEDDABLE: 3 };

function fleetAt(perSecond: number, hasGuard: boolean): FleetInput {
  return {
    // A guard finds the 78 slots within 5 s, from 20 to begin with. Without one two seconds fill the server for good.
    warmupMs: hasGuard ? 8_000 : 3_000,
    // A guard tests each 10 s whether it needs all of them: every run contains one of these tests.
    durationMs: hasGuard ? 12_000 : 4_000,
    services: {
      server: {
        // A slot is a core that a request has to itself: with more requests than slots they share, and all get slower.
        backends: [{ count: SERVERS, cores: SLOTS }],
        costMs: SERVICE_MS,
        ...(hasGuard ? {} : { guard: false }),
      },
    },
    clients: {
      client: {
        count: CLIENTS,
        service: 'server',
        arrivals: perSecond / CLIENTS,
        criticality: CRITICALITIES,
        deadlineMs: 1_000,
        throttle: false,
        activeLimit: 100_000,
        retry: { maxAttempts: 1 },
      },
    },
  };
}

const RUNS = [true, false].flatMap((hasGuard) =>
  LOADS.map((perSecond) => ({ hasGuard, perSecond, input: fleetAt(perSecond, hasGuard) })),
);

interface Seen {
  readonly hasGuard: boolean;
  readonly perSecond: number;
  readonly goodputPerSecond: number;
  readonly plusP50Ms: number;
  readonly rows: readonly Row[];
}

export const plateauScenario: Scenario = {
  name: 'plateau',
  claim: 'from 700 to 4,000 requests a second, two servers go on serving their 1,300',
  run(options) {
    const inputs = RUNS.map(({ input }) => input);
    const seen = runFleets(inputs, options, (fleet, at) => look(fleet, RUNS[at]!));
    const at = (perSecond: number, hasGuard: boolean) =>
      seen.find((run) => run.perSecond === perSecond && run.hasGuard === hasGuard)!;
    const checks = CHECKED.flatMap((load) => {
      const guarded = at(load, true);
      const overCapacity = guarded.goodputPerSecond / CAPACITY_PER_SECOND;
      return [
        atLeast(`${load}/s: goodput over capacity`, overCapacity, 0.95),
        atMost(`${load}/s: p50 of CRITICAL_PLUS, ms`, guarded.plusP50Ms, 180),
        // Else there was no cliff to stay clear of. A plain load shedder was at 0.42.
        atMost(
          `${load}/s, no guard: goodput over capacity`,
          at(load, false).goodputPerSecond / CAPACITY_PER_SECOND,
          0.42,
        ),
      ];
    });
    const result = {
      scenario: 'plateau',
      seed: options.seed,
      options: { loadsPerSecond: LOADS, fleet: fleetAt(LOADS[0]!, true) },
      rows: seen.flatMap(({ rows }) => rows),
      checks,
    };
    return { result, figures: [figureOf(seen)] };
  },
};

function look(fleet: Fleet, { hasGuard, perSecond }: (typeof RUNS)[number]): Seen {
  const { traffic } = fleet.group('client');
  const guard = hasGuard ? 'yes' : 'no';
  const limits = fleet.service('server').backends.map(({ process }) => process.guard.limiter.limit);
  const goodputPerSecond = (traffic.all.good * 1_000) / fleet.spec.durationMs;
  const plusP50Ms = traffic.of('CRITICAL_PLUS').latencyMs(0.5)!;
  const summary = {
    section: 'plateau',
    guard,
    offeredPerSecond: perSecond,
    goodputPerSecond,
    overCapacity: goodputPerSecond / CAPACITY_PER_SECOND,
    plusP50Ms,
    concurrencyLimits: hasGuard ? limits.join(', ') : '',
  };
  const rows = [summary, ...requestRows(fleet, { guard, load: perSecond })];
  return { hasGuard, perSecond, goodputPerSecond, plusP50Ms, rows };
}

function figureOf(seen: readonly Seen[]): Figure {
  const lines = (value: (run: Seen) => number): Line[] =>
    [true, false].map((hasGuard) => ({
      name: hasGuard ? 'with the guard' : 'without',
      points: seen
        .filter((run) => run.hasGuard === hasGuard)
        .map((run) => [run.perSecond, value(run)] as const),
    }));
  const x = { label: 'offered, per second' };
  const goodput: LinePanel = {
    kind: 'lines',
    title: 'served in time',
    x,
    y: { label: 'per second' },
    lines: lines(({ goodputPerSecond }) => goodputPerSecond),
    marks: [{ value: CAPACITY_PER_SECOND, label: 'capacity' }],
  };
  const latency: LinePanel = {
    kind: 'lines',
    title: 'median of CRITICAL_PLUS',
    x,
    y: { label: 'ms' },
    lines: lines(({ plusP50Ms }) => plusP50Ms),
    marks: [{ value: 180, label: '180 ms' }],
  };
  return {
    title: 'Goodput against offered load',
    caption:
      'Two servers of 78 slots × 120 ms: the guard keeps them on the plateau at three times their capacity; without ' +
      'it nobody is answered within the second that clients wait.',
    panels: [goodput, latency],
  };
}
