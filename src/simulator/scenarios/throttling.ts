import { type Fleet, type FleetInput, requestRows } from '../fleet/index.js';
import type { BarPanel, Figure } from '../report/figure.js';
import { atLeast, atMost, between, type Check, type Row } from '../report/result.js';
import { runFleets } from './run-fleets.js';
import type { Scenario } from './scenario.js';

/**
 * Client-side throttling (SRE ch. 21): "even in large overload situations, backends end up rejecting one request for
 * each request they actually process", and with K = 1.1 "only one request will be rejected … for every 10 requests
 * accepted". It matters since refusing costs too: with r = cost of a refusal over cost of a request, a backend that is
 * offered X times its capacity has (1 − rX)/(1 − r) of it left for serving; with throttling clients it has
 * 1/(1 + r(K − 1)), however large X is.
 *
 * Claimed: K − 1 refusals for each request served, at 3 and at 10 times the capacity; what a client refuses itself
 * never reaches a backend; and the goodput is what the formula says. There are no retries: each would be counted as a
 * request of its own.
 */
const BACKENDS = 3;
const COST_MS = 8;
const CAPACITY_PER_SECOND = (BACKENDS * 1_000) / COST_MS;
const CLIENTS = 10;

/** 43 µs for a plain refusal, measured, of about 1 ms for a small request. */
const REFUSAL_OVER_COST = 0.04;

/**
 * The text's two minutes, shortened. The throttle knows only counts within its window: two minutes of few requests or
 * six seconds of many are the same to it as long as an answer takes a small part of it (here 0.1 s). A client has 225
 * accepted in it; with fewer than 100 K = 1.1 drowns in chance. (A run of two-minute windows at 3 × gives 0.998 for
 * K = 2 and 0.100 for K = 1.1, in twenty times the time.)
 */
const WINDOW_MS = 6_000;

/** A window of calm, two to settle, four to measure: some 9,000 requests served. */
const CALM = 0.8;
const WARMUP_MS = 3 * WINDOW_MS;
const DURATION_MS = 4 * WINDOW_MS;

const LOADS = [3, 10];
/** Undefined = no throttle. */
const KS = [undefined, 2, 1.1];

function fleetOf(load: number, k: number | undefined): FleetInput {
  return {
    warmupMs: WARMUP_MS,
    durationMs: DURATION_MS,
    services: {
      api: { backends: BACKENDS, costMs: COST_MS, guard: { refusalCostMs: REFUSAL_OVER_COST * COST_MS } },
    },
    clients: {
      client: {
        count: CLIENTS,
        service: 'api',
        arrivals: {
          perSecond: CAPACITY_PER_SECOND / CLIENTS,
          steps: [
            { atMs: 0, factor: CALM },
            { atMs: WINDOW_MS, factor: load },
          ],
        },
        throttle: k === undefined ? false : { k, windowMs: WINDOW_MS },
        retry: { maxAttempts: 1 },
      },
    },
  };
}

const RUNS = LOADS.flatMap((load) => KS.map((k) => ({ load, k })));

interface Seen {
  readonly load: number;
  readonly k: number | undefined;
  readonly refusedPerServed: number;
  readonly goodputOverCapacity: number;
  readonly expectedOverCapacity: number;
  /** Attempts that came to backends, for each that the throttle let through. */
  readonly arrivedPerAdmitted: number;
  readonly rows: readonly Row[];
}

export const throttlingScenario: Scenario = {
  name: 'throttling',
  claim:
    'clients that throttle by K leave backends K − 1 refusals for each request served, whatever the load',
  run(options) {
    const inputs = RUNS.map(({ load, k }) => fleetOf(load, k));
    const seen = runFleets(inputs, options, (fleet, at) => look(fleet, RUNS[at]!));
    const result = {
      scenario: 'throttling',
      seed: options.seed,
      options: { loads: LOADS, ks: KS.map((k) => k ?? null), fleet: fleetOf(LOADS[0]!, KS[1]) },
      rows: seen.flatMap(({ rows }) => rows),
      checks: seen.flatMap(checksOf),
    };
    return { result, figures: [figureOf(seen)] };
  },
};

function checksOf(seen: Seen): Check[] {
  const { load, k, refusedPerServed, goodputOverCapacity, expectedOverCapacity, arrivedPerAdmitted } = seen;
  const run = `${load} ×, ${k === undefined ? 'no throttle' : `K = ${k}`}`;
  const goodput = goodputOverCapacity / expectedOverCapacity;
  if (k === undefined) {
    // Else there was nothing for throttling to win.
    return [
      atLeast(`${run}: refused per served`, refusedPerServed, 2),
      between(`${run}: goodput over the formula's`, goodput, 0.95, 1.05),
    ];
  }
  const refused = `${run}: refused per served`;
  return [
    // K = 1.1 lets a client send the small difference between two counts: chance shows in it ten times as much.
    k === 2 ? between(refused, refusedPerServed, 0.96, 1.04) : between(refused, refusedPerServed, 0.07, 0.14),
    between(`${run}: goodput over the formula's`, goodput, 0.97, 1.03),
    // A few were under way when the counting began, or ended.
    atMost(`${run}: arrived at backends per request sent`, arrivedPerAdmitted, 1.001),
  ];
}

function look(fleet: Fleet, { load, k }: { load: number; k: number | undefined }): Seen {
  const { offered, good, ends } = fleet.group('client').traffic.all;
  const tallies = fleet.service('api').backends.map(({ tally }) => tally);
  const sum = (of: 'arrivals' | 'refused' | 'served') =>
    tallies.reduce((added, tally) => added + tally[of], 0);
  const refusedPerServed = sum('refused') / sum('served');
  const goodputOverCapacity = (good * 1_000) / DURATION_MS / CAPACITY_PER_SECOND;
  const r = REFUSAL_OVER_COST;
  const expectedOverCapacity = k === undefined ? (1 - r * load) / (1 - r) : 1 / (1 + r * (k - 1));
  const throttle = k === undefined ? 'off' : `K = ${k}`;
  const summary = {
    section: 'throttling',
    load,
    throttle,
    refusedPerServed,
    refusedLocallyShare: ends.throttled / offered,
    goodputOverCapacity,
    expectedOverCapacity,
  };
  return {
    load,
    k,
    refusedPerServed,
    goodputOverCapacity,
    expectedOverCapacity,
    arrivedPerAdmitted: sum('arrivals') / (offered - ends.throttled),
    rows: [summary, ...requestRows(fleet, { load, throttle })],
  };
}

function figureOf(seen: readonly Seen[]): Figure {
  const panel = (title: string, label: string, value: (run: Seen) => number, mark: number): BarPanel => ({
    kind: 'bars',
    title,
    x: { label: 'offered over capacity', categories: LOADS.map((load) => `${load} ×`) },
    y: { label },
    bars: KS.map((k) => ({
      name: k === undefined ? 'no throttle' : `K = ${k}`,
      values: seen.filter((run) => run.k === k).map(value),
    })),
    marks: [{ value: mark, label: `${mark}` }],
  });
  return {
    title: 'Clients that throttle themselves',
    caption:
      'A refusal costs 4 % of a request. Without throttling backends spend more and more of themselves on refusing; ' +
      'with it they refuse about one (K = 2) or a tenth (K = 1.1) for each they serve, at any load.',
    panels: [
      panel('refused for each served', 'requests', ({ refusedPerServed }) => refusedPerServed, 1),
      panel('goodput', 'share of the capacity', ({ goodputOverCapacity }) => goodputOverCapacity, 1),
    ],
  };
}
