import type { Fleet, FleetInput, Sample } from '../fleet/index.js';
import type { Figure, Line } from '../report/figure.js';
import { atLeast, atMost, type Check, type Row } from '../report/result.js';
import { runFleets } from './run-fleets.js';
import type { Scenario } from './scenario.js';

/**
 * No ratchet: an adaptive concurrency limit that is always reached must not grow without end. Netflix's Gradient2 takes
 * for the latency of an idle server a long average of latencies that its own limit has raised; of a server of 20 slots
 * × 20 ms, always saturated, it asks for twice the knee of 20 after a minute, five times after ten and its cap of 200
 * after twenty: ten times the latency for nothing.
 *
 * Claimed: ours stays within 1.5 times the knee for twenty minutes, and loses next to no throughput by it. Then all
 * requests take four times as long, for a minute: the knee is the same, and the limit neither takes it for a queue nor
 * for room. And of a server of 80 slots it finds the 80.
 */
const SLOTS = 20;
const SERVICE_MS = 20;
const STEADY_MS = 20 * 60_000;
/** From an initial 20, or 80 slots to find. Every 10 s the limit is tested by a dip: two of these. */
const SETTLE_MS = 20_000;
const SLOW = 4;
const SLOW_MS = 60_000;
const HEALED_MS = 40_000;
/** What is always a little too much; how much does not matter to the limit. */
const LOAD = 1.1;
const MANY_SLOTS = 80;

function fleetOf(slots: number, durationMs: number, faults: FleetInput['faults'] = []): FleetInput {
  return {
    warmupMs: SETTLE_MS,
    durationMs,
    services: { server: { backends: [{ count: 1, cores: slots }], costMs: SERVICE_MS } },
    clients: {
      client: {
        service: 'server',
        arrivals: (LOAD * slots * 1_000) / SERVICE_MS,
        policy: 'round-robin',
        throttle: false,
        retry: { maxAttempts: 1 },
        activeLimit: 10_000,
      },
    },
    faults,
  };
}

const SLOW_AT_MS = SETTLE_MS + STEADY_MS;
const LONG = fleetOf(SLOTS, STEADY_MS + SLOW_MS + HEALED_MS, [
  { kind: 'slow', service: 'server', backends: 1, atMs: SLOW_AT_MS, forMs: SLOW_MS, factor: SLOW },
]);
const MANY = fleetOf(MANY_SLOTS, SETTLE_MS);

interface Phase {
  readonly phase: string;
  readonly slots: number;
  readonly serviceMs: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** What was said of each fleet; changes are given time to be found. */
const LONG_PHASES: readonly Phase[] = [
  { phase: 'twenty minutes', slots: SLOTS, serviceMs: SERVICE_MS, fromMs: SETTLE_MS, toMs: SLOW_AT_MS },
  {
    phase: `${SLOW} × as slow`,
    slots: SLOTS,
    serviceMs: SLOW * SERVICE_MS,
    fromMs: SLOW_AT_MS + SETTLE_MS,
    toMs: SLOW_AT_MS + SLOW_MS,
  },
  {
    phase: 'as before',
    slots: SLOTS,
    serviceMs: SERVICE_MS,
    fromMs: SLOW_AT_MS + SLOW_MS + SETTLE_MS,
    toMs: SLOW_AT_MS + SLOW_MS + HEALED_MS,
  },
];
const MANY_PHASES: readonly Phase[] = [
  { phase: '80 slots', slots: MANY_SLOTS, serviceMs: SERVICE_MS, fromMs: SETTLE_MS, toMs: 2 * SETTLE_MS },
];
const PHASES = [LONG_PHASES, MANY_PHASES];

interface Seen extends Phase {
  readonly largestLimit: number;
  readonly goodputOverCapacity: number;
  readonly row: Row;
}

interface Look {
  readonly seen: readonly Seen[];
  readonly limit: Line;
}

export const noRatchetScenario: Scenario = {
  name: 'no-ratchet',
  claim: 'a concurrency limit that is always reached stays at 1.5 times the knee or less',
  run(options) {
    const [long, many] = runFleets([LONG, MANY], options, (fleet, at) => look(fleet, PHASES[at]!));
    const seen = [...long!.seen, ...many!.seen];
    const gradient2 = gradient2Limits(STEADY_MS / 1_000);
    const rows = gradient2
      .filter(([second]) => [60, 600, 1_200].includes(second))
      .map(([second, limit]) => ({ section: 'Gradient2, computed', second, limit, overKnee: limit / SLOTS }));
    const result = {
      scenario: 'no-ratchet',
      seed: options.seed,
      options: { long: LONG, many: MANY },
      rows: [...seen.map(({ row }) => row), ...rows],
      checks: seen.flatMap(checksOf),
    };
    return { result, figures: [figureOf(long!.limit, { name: 'Gradient2, computed', points: gradient2 })] };
  },
};

function checksOf({ phase, slots, largestLimit, goodputOverCapacity }: Seen): Check[] {
  return [
    atMost(`${phase}: largest limit over the knee`, largestLimit / slots, 1.5),
    atLeast(`${phase}: goodput over capacity`, goodputOverCapacity, 0.95),
  ];
}

function look(fleet: Fleet, phases: readonly Phase[]): Look {
  const { samples } = fleet;
  const points = samples.map(
    (sample) => [(sample.timeMs - fleet.spec.warmupMs) / 1_000, limitOf(sample)] as const,
  );
  return {
    seen: phases.map((phase) => phaseOf(samples, phase)),
    limit: { name: 'ours, simulated', points },
  };
}

function limitOf({ services }: Sample): number {
  return services['server']!.limit[0]!;
}

function phaseOf(samples: readonly Sample[], phase: Phase): Seen {
  const { slots, serviceMs, fromMs, toMs } = phase;
  const within = samples.filter(({ timeMs }) => timeMs > fromMs && timeMs <= toMs);
  const limits = within.map(limitOf).toSorted((a, b) => a - b);
  const served = within.reduce((sum, { groups }) => sum + groups['client']!.ends.served, 0);
  const largestLimit = limits.at(-1)!;
  const goodputOverCapacity = (served * serviceMs) / slots / (toMs - fromMs);
  const row = {
    section: 'limits',
    phase: phase.phase,
    knee: slots,
    serviceMs,
    smallestLimit: limits[0]!,
    medianLimit: limits[limits.length >> 1]!,
    largestLimit,
    goodputOverCapacity,
  };
  return { ...phase, largestLimit, goodputOverCapacity, row };
}

/**
 * What Netflix's Gradient2 would ask for each second, by its formula: g = clamp(1.5 · long / rtt, 0.5, 1), L = 0.8 L +
 * 0.2 (L g + 4), at most 200, where `long` is an exponential average over 600 windows. The server is always saturated,
 * so by Little's law requests take as long as L of them take to be served.
 */
function gradient2Limits(seconds: number): (readonly [second: number, limit: number])[] {
  let limit = SLOTS;
  let longMs = SERVICE_MS;
  return Array.from({ length: seconds }, (_, second) => {
    const rttMs = (Math.max(SLOTS, limit) * SERVICE_MS) / SLOTS;
    longMs += (rttMs - longMs) * (2 / 601);
    const gradient = Math.max(0.5, Math.min(1, (1.5 * longMs) / rttMs));
    limit = Math.min(200, 0.8 * limit + 0.2 * (limit * gradient + 4));
    return [second + 1, limit] as const;
  });
}

function figureOf(ours: Line, gradient2: Line): Figure {
  return {
    title: 'A concurrency limit that is always reached',
    caption:
      'A server of 20 slots × 20 ms with too much to do. Dips to 12 are our measurements of the base latency, one each ' +
      '10 s. After 1,200 s all requests take 80 ms for a minute: the knee stays where it is, and so does the limit.',
    panels: [
      {
        kind: 'lines',
        title: 'limit over time',
        x: { label: 'time, s' },
        y: { label: 'requests at once' },
        lines: [ours, gradient2],
        marks: [
          { value: SLOTS, label: 'knee' },
          { value: 1.5 * SLOTS, label: '1.5 × knee' },
        ],
      },
    ],
  };
}
