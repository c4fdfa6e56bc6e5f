import { OverloadAdvice } from '../../core/retrying/index.js';
import type { BackendTally } from '../fleet/backend-tally.js';
import { type Fleet, type FleetInput, requestRows } from '../fleet/index.js';
import type { BarPanel, Figure } from '../report/figure.js';
import { atLeast, atMost, between, type Row } from '../report/result.js';
import { runFleets } from './run-fleets.js';
import type { Scenario } from './scenario.js';

/**
 * SRE ch. 21, figure 21-1: histograms of attempts as one backend sees them, for 1,000 first attempts. The number of the
 * attempt travels with each request; a backend that has to refuse looks at what arrived lately. Few retries: the others
 * have room, and "task overloaded" sends the request there. Many: they are no better off, and it says "don't retry".
 *
 * Claimed: with all backends heavily overloaded second and third attempts are a large part of what arrives; with one
 * overloaded backend, or with none, they are few; and the error follows. As in the text clients have three attempts and
 * no budget. Backends only count at first (the histograms of the text), then they act on it (what ships).
 */
const BACKENDS = 10;
const COST_MS = 10;
const CAPACITY_PER_SECOND = (BACKENDS * 1_000) / COST_MS;
const CLIENTS = 30;

/** As long as histograms look back, and a little. */
const WARMUP_MS = 12_000;
const DURATION_MS = 10_000;

const MILD = 0.8;
const HEAVY = 3;
/** So much more than it can do is offered to the one that is overloaded: its machine is slow. */
const ONE = 1.5;

/** Offered over capacity, and the speed of the first backend; the histogram is the first backend's. */
const SITUATIONS = {
  'all have room': { load: MILD, speed: 1 },
  'one overloaded': { load: MILD, speed: MILD / ONE },
  'all overloaded': { load: HEAVY, speed: 1 },
} as const;
type Situation = keyof typeof SITUATIONS;
const NAMES = Object.keys(SITUATIONS) as Situation[];

function fleetOf(situation: Situation, advises: boolean): FleetInput {
  const { load, speed } = SITUATIONS[situation];
  return {
    warmupMs: WARMUP_MS,
    durationMs: DURATION_MS,
    services: {
      api: {
        backends: [{ count: 1, speed }, { count: BACKENDS - 1 }],
        costMs: COST_MS,
        guard: { advises },
      },
    },
    clients: {
      client: {
        count: CLIENTS,
        service: 'api',
        arrivals: (load * CAPACITY_PER_SECOND) / CLIENTS,
        // Knows nothing of load, so that the slow one gets as much as the others; each client goes round in an order of
        // its own, so that retries of what one backend refuses come to all others alike.
        policy: 'round-robin',
        subset: { size: BACKENDS, algorithm: 'random' },
        retry: { maxAttempts: 3, budget: 10 },
        throttle: false,
      },
    },
  };
}

const RUNS = [false, true].flatMap((advises) => NAMES.map((situation) => ({ situation, advises })));

interface Seen {
  readonly situation: Situation;
  readonly advises: boolean;
  /** First, second and third attempts at the first backend, for 1,000 first ones. */
  readonly attempts: readonly number[];
  readonly retryShare: number;
  /** Of all refusals, those by backends whose histogram says that others are overloaded too. */
  readonly noRetryShare: number;
  readonly servedShare: number;
  /** Of all clients, for each request. */
  readonly retriesPerRequest: number;
  readonly rows: readonly Row[];
}

export const figure211Scenario: Scenario = {
  name: 'figure-21-1',
  claim: 'attempt histograms tell a backend whether others are overloaded too',
  run(options) {
    const inputs = RUNS.map(({ situation, advises }) => fleetOf(situation, advises));
    const seen = runFleets(inputs, options, (fleet, at) => look(fleet, RUNS[at]!));
    const of = (situation: Situation, advises = false) =>
      seen.find((run) => run.situation === situation && run.advises === advises)!;
    const [room, one, all] = [of('all have room'), of('one overloaded'), of('all overloaded')];
    const checks = [
      atMost('all have room: retries of arrivals', room.retryShare, 0.01),
      atMost('one overloaded: retries of arrivals', one.retryShare, 0.05),
      atLeast('all overloaded: retries of arrivals', all.retryShare, 0.3),
      between('one overloaded: refusals that should say "don\'t retry"', one.noRetryShare, 0, 0),
      between('all overloaded: refusals that should say "don\'t retry"', all.noRetryShare, 1, 1),
      // What the one refuses is served elsewhere: that is what retries are for.
      atLeast('one overloaded: served share', one.servedShare, 0.99),
      atLeast(
        'one overloaded, backends acting on it: served share',
        of('one overloaded', true).servedShare,
        0.99,
      ),
      // Not to nothing: while few retries come, "task overloaded" is answered again, until they do.
      atMost(
        'all overloaded: retries, backends acting on it over only counting',
        of('all overloaded', true).retriesPerRequest / all.retriesPerRequest,
        0.2,
      ),
    ];
    const result = {
      scenario: 'figure-21-1',
      seed: options.seed,
      options: { situations: SITUATIONS, fleet: fleetOf('one overloaded', true) },
      rows: seen.flatMap(({ rows }) => rows),
      checks,
    };
    return { result, figures: [figureOf(seen)] };
  },
};

function look(fleet: Fleet, { situation, advises }: { situation: Situation; advises: boolean }): Seen {
  const tallies = fleet.service('api').backends.map(({ tally }) => tally);
  const refused = (of: readonly BackendTally[]) => of.reduce((sum, tally) => sum + tally.refused, 0);
  const [first, second, third] = tallies[0]!.attempts;
  const attempts = [first!, second!, third!].map((count) => (count * 1_000) / first!);
  const retryShare = (second! + third!) / (first! + second! + third!);
  const noRetryShare = refused(tallies.filter(saysNoRetry)) / Math.max(1, refused(tallies));
  const { good, offered, retries } = fleet.group('client').traffic.all;
  const names = { situation, backends: advises ? 'act on it' : 'only count' };
  const summary = {
    section: 'attempts at the first backend, for 1,000 first ones',
    ...names,
    first: attempts[0]!,
    second: attempts[1]!,
    third: attempts[2]!,
    retryShare,
    error: saysNoRetry(tallies[0]!) ? "don't retry" : 'task overloaded',
    noRetryShare,
  };
  return {
    situation,
    advises,
    attempts,
    retryShare,
    noRetryShare,
    servedShare: good / offered,
    retriesPerRequest: retries / offered,
    rows: [summary, ...requestRows(fleet, names)],
  };
}

/** The decision that ships, on what arrived in the measured time. */
function saysNoRetry({ attempts }: BackendTally): boolean {
  const advice = new OverloadAdvice();
  for (const [index, count] of attempts.entries()) {
    for (let arrival = 0; arrival < count; arrival++) advice.onArrival(index + 1, 0);
  }
  return advice.errorFor(0) === 'overloaded-no-retry';
}

function figureOf(seen: readonly Seen[]): Figure {
  const panels = NAMES.map((situation): BarPanel => {
    const runs = seen.filter((run) => run.situation === situation);
    return {
      kind: 'bars',
      title: situation,
      x: { label: 'attempt', categories: ['1st', '2nd', '3rd'] },
      y: { label: 'arrivals for 1,000 first attempts' },
      bars: runs.map(({ advises, attempts }) => ({
        name: advises ? 'backends that act on it' : 'backends that only count',
        values: attempts,
      })),
    };
  });
  return {
    title: 'Attempts as one backend of ten sees them',
    caption:
      'Clients try three times, without a budget. Only when all backends are overloaded are there many second and third ' +
      'attempts; then backends answer "don\'t retry", and most of them stay away.',
    panels,
    sharesScale: true,
  };
}
