import { type Fleet, type FleetInput, requestRows, type Sample } from '../fleet/index.js';
import type { Figure, Line, LinePanel } from '../report/figure.js';
import { atLeast, atMost, type Row } from '../report/result.js';
import { runFleets } from './run-fleets.js';
import type { Scenario } from './scenario.js';

/**
 * Rolling restart (SRE ch. 20, "Lame Duck State"): a whole service is restarted, two of twelve at a time, under traffic
 * half of which must not be sent twice. Each backend tells its clients first, goes on serving what still comes, exits
 * when the news has spread and nothing is left to do. Claimed: not one request fails, POST included, and latency hardly
 * shows it. Beside it the same deploy without the parts that make it so: no time to drain, and no warning at all.
 */
const BACKENDS = 12;
const BATCH = 2;

/**
 * How long one batch takes: 3 s in which the news spreads, up to 2 s more for the longest request under way, 1 s to
 * start. The kills of the last run keep the same pace.
 */
const PACE_MS = 6_000;
/** A whole round at that pace, and a little calm before and after it. */
const DURATION_MS = (BACKENDS / BATCH) * PACE_MS + 8_000;
const WARMUP_MS = 5_000;
const FIRST_MS = WARMUP_MS + 3_000;

/** 740 requests a second of 9 ms: 56 % of 12 cores, so 67 % while two are away. */
const SHOP: FleetInput = {
  durationMs: DURATION_MS,
  warmupMs: WARMUP_MS,
  services: {
    shop: {
      backends: BACKENDS,
      kinds: {
        page: { costMs: { lognormal: { median: 8, sigma: 0.5 } }, waitMs: { exponential: { mean: 20 } } },
        // Longer than the news takes to spread: whoever exits by the clock alone breaks some of these.
        export: { costMs: 20, waitMs: { uniform: { from: 1_000, to: 5_000 } } },
      },
      // Code not compiled, caches empty.
      warmup: { forMs: 3_000, factor: 3 },
      startMs: 1_000,
    },
  },
  clients: {
    readers: { count: 10, service: 'shop', arrivals: 37, kinds: { page: 1 } },
    writers: { count: 10, service: 'shop', arrivals: 37, kinds: { page: 1 }, idempotentShare: 0 },
    exporters: {
      count: 5,
      service: 'shop',
      arrivals: 2,
      kinds: { export: 1 },
      idempotentShare: 0,
      deadlineMs: 15_000,
    },
  },
};

const RESTART = {
  kind: 'restart',
  service: 'shop',
  backends: BACKENDS,
  batch: BATCH,
  atMs: FIRST_MS,
} as const;

const KILLS = Array.from({ length: BACKENDS / BATCH }, (_, batch) => ({
  kind: 'kill' as const,
  service: 'shop',
  backends: Array.from({ length: BATCH }, (_, member) => batch * BATCH + member),
  atMs: FIRST_MS + batch * PACE_MS,
  forMs: 0,
}));

const HASTY = { ...SHOP.services['shop']!, drainMs: 0 };

const RUNS: readonly { readonly name: string; readonly input: FleetInput }[] = [
  { name: 'no restart', input: SHOP },
  { name: 'lame duck, then drain', input: { ...SHOP, faults: [RESTART] } },
  { name: 'lame duck, no drain', input: { ...SHOP, services: { shop: HASTY }, faults: [RESTART] } },
  { name: 'killed', input: { ...SHOP, faults: KILLS } },
];
const CALM = 0;
const ORDERLY = 1;
const KILLED = 3;

interface Look {
  readonly rows: readonly Row[];
  readonly failed: number;
  readonly restarted: number;
  readonly writesP99Ms: number;
  /** Over time, by the number of the sample. */
  readonly answeredPerSecond: Line;
  readonly failedPerSecond: Line;
  readonly ready: Line;
}

export const rollingRestartScenario: Scenario = {
  name: 'rolling-restart',
  claim: 'a whole service restarts under traffic, and no request fails',
  run(options) {
    const looks = runFleets(
      RUNS.map(({ input }) => input),
      options,
      (fleet, index) => look(fleet, RUNS[index]!.name),
    );
    const [calm, orderly, killed] = [looks[CALM]!, looks[ORDERLY]!, looks[KILLED]!];
    const checks = [
      atMost('failed requests: lame duck, then drain', orderly.failed, 0),
      atLeast('backends restarted', orderly.restarted, BACKENDS),
      atMost('p99 of writes over that without a restart', orderly.writesP99Ms / calm.writesP99Ms, 1.5),
      // Else there was nothing to protect from.
      atLeast('failed requests: killed', killed.failed, 1),
    ];
    const rows = looks.flatMap((each) => each.rows);
    const result = {
      scenario: 'rolling-restart',
      seed: options.seed,
      options: RUNS[ORDERLY]!.input,
      rows,
      checks,
    };
    return { result, figures: [figure(looks)] };
  },
};

function look(fleet: Fleet, run: string): Look {
  const { backends } = fleet.service('shop');
  // A process that was there from the start was never made ready.
  const restarted = backends.filter(({ process }) => Number.isFinite(process.readySinceMs)).length;
  const tallies = fleet.groups.map(({ traffic }) => traffic.all);
  const requests = tallies.reduce((sum, { offered }) => sum + offered, 0);
  const failed = tallies.reduce((sum, { offered, good }) => sum + offered - good, 0);
  const writesP99Ms = fleet.group('writers').traffic.all.latencyMs(0.99)!;
  const summary = { section: 'restarts', run, restarted, requests, failed, failedShare: failed / requests };
  return {
    rows: [{ ...summary, writesP99Ms }, ...requestRows(fleet, { run })],
    failed,
    restarted,
    writesP99Ms,
    answeredPerSecond: lineOf(fleet, run, (sample) => sumOf(sample, goodOf)),
    failedPerSecond: lineOf(fleet, run, (sample) => sumOf(sample, (ends) => endedOf(ends) - goodOf(ends))),
    ready: lineOf(fleet, run, ({ services }) => services['shop']!.ready),
  };
}

type Ends = Sample['groups'][string]['ends'];

function goodOf({ served, degraded }: Ends): number {
  return served + degraded;
}

function endedOf(ends: Ends): number {
  return Object.values(ends).reduce((sum, count) => sum + count, 0);
}

function sumOf({ groups }: Sample, count: (ends: Ends) => number): number {
  return Object.values(groups).reduce((sum, { ends }) => sum + count(ends), 0);
}

/** Samples are a second each. */
function lineOf(fleet: Fleet, name: string, value: (sample: Sample) => number): Line {
  const points = fleet.samples.map(
    (sample) => [(sample.timeMs - fleet.spec.warmupMs) / 1_000, value(sample)] as const,
  );
  return { name, points };
}

function figure(looks: readonly Look[]): Figure {
  const panel = (title: string, label: string, lines: readonly Line[]): LinePanel => {
    return { kind: 'lines', title, x: { label: 'time, s' }, y: { label }, lines };
  };
  return {
    title: 'A rolling restart of twelve backends, two at a time',
    caption: 'Told first and given time, nobody notices; killed, each backend takes its requests with it.',
    panels: [
      panel(
        'backends ready',
        'backends',
        looks.map(({ ready }) => ready),
      ),
      panel(
        'answered',
        'requests per second',
        looks.map(({ answeredPerSecond }) => answeredPerSecond),
      ),
      panel(
        'failed',
        'requests per second',
        looks.map(({ failedPerSecond }) => failedPerSecond),
      ),
    ],
  };
}
