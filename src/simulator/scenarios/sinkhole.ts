import { POLICY_NAMES, type PolicyName } from '../../core/picking/index.js';
import { type Fleet, type FleetInput, type GroupSample, rateLine } from '../fleet/index.js';
import type { Figure, Line } from '../report/figure.js';
import { atLeast, atMost, type Check, type Row } from '../report/result.js';
import { runFleets } from './run-fleets.js';
import type { Scenario } from './scenario.js';
import { withPolicy } from './with-policy.js';

/**
 * A sinkhole (Prequal, NSDI 2024): one of twenty backends fails every request at once. It uses no CPU, has nothing in
 * flight and answers before all others, so whoever balances by any of these sends it the more, the worse it is. SRE
 * ch. 20 lets errors count against a backend for that reason.
 *
 * Claimed: it gets no more than its fair share, an equal part of the requests, and next to nothing once a client has
 * seen a few of its failures. Beside that, what the parts are good for: the same without ejection, a backend that fails
 * only every other request, and one whose failures look like answers (a fast 200 with an error in it), of which
 * nobody can learn anything.
 */
const BACKENDS = 20;
const FAIR_SHARE = 1 / BACKENDS;
/** A tenth more by chance: a fair share of 16,000 requests is 800, with a deviation of 28. */
const ABOUT_FAIR = 0.055;

/** Each client sends a backend two requests a second: five failures in a row, which eject it, take 2.5 s. */
const FIRST_S = 10;

/** No retries: with them, hardly a failure would be left to be counted. */
const CLIENT = { count: 20, service: 'web', arrivals: 40, retry: { maxAttempts: 1 } };

/** 800 requests a second of 10 ms: the nineteen others use 42 % of their CPU for them. */
const HEALTHY = { count: BACKENDS - 1 };
const WEB = { costMs: { exponential: { mean: 10 } }, guard: false } as const;

/** From the first second on. An ejection lasts 30 s and the next one 60: it comes back once. */
const FAILS_ALL: FleetInput = {
  warmupMs: 0,
  durationMs: 60_000,
  services: { web: { ...WEB, backends: [HEALTHY, { count: 1, failsFastShare: 1 }] } },
  clients: { client: CLIENT },
};

const RUNS = {
  'fails all': FAILS_ALL,
  'fails all, no ejection': {
    ...FAILS_ALL,
    durationMs: 20_000,
    clients: { client: { ...CLIENT, ejects: false } },
  },
  'fails half': {
    ...FAILS_ALL,
    services: { web: { ...WEB, backends: [HEALTHY, { count: 1, failsFastShare: 0.5 }] } },
  },
  'fails unseen': {
    ...FAILS_ALL,
    // Weights, of which it has the best, count from 10 s on.
    warmupMs: 12_000,
    durationMs: 20_000,
    services: { web: { ...WEB, backends: [HEALTHY, { count: 1, speed: 10_000 }] } },
  },
} satisfies Record<string, FleetInput>;
type RunName = keyof typeof RUNS;
const RUN_NAMES = Object.keys(RUNS) as RunName[];

interface Failed {
  readonly failedFirstShare: number;
  readonly failedLaterShare: number;
  readonly worstSecondLaterShare: number;
}

interface Seen {
  readonly of: RunName;
  readonly policy: PolicyName;
  /** The part of all requests that the sinkhole got. */
  readonly share: number;
  readonly failed: Failed;
  readonly row: Row;
  readonly line: Line;
}

export const sinkholeScenario: Scenario = {
  name: 'sinkhole',
  claim: 'a backend that fails at once, and so looks idle and fast, does not draw the traffic',
  policies: POLICY_NAMES,
  run(options) {
    const policies = options.policies ?? POLICY_NAMES;
    const runs = RUN_NAMES.flatMap((of) => policies.map((policy) => ({ of, policy })));
    const inputs = runs.map(({ of, policy }) => withPolicy(RUNS[of], policy));
    const seen = runFleets(inputs, options, (fleet, at) => look(fleet, runs[at]!));
    return {
      result: {
        scenario: 'sinkhole',
        seed: options.seed,
        options: { policies, fleets: RUNS },
        rows: seen.map(({ row }) => row),
        checks: seen.flatMap(checksOf),
      },
      figures: [figureOf(policies, seen)],
    };
  },
};

function look(fleet: Fleet, { of, policy }: { of: RunName; policy: PolicyName }): Seen {
  const arrivals = fleet.service('web').backends.map(({ tally }) => tally.arrivals);
  const share = arrivals.at(-1)! / arrivals.reduce((sum, count) => sum + count, 0);
  const { all } = fleet.group('client').traffic;
  const failed = failedIn(fleet.samples.map(({ groups }) => groups['client']!));
  const latencies = { p50Ms: all.latencyMs(0.5), p99Ms: all.latencyMs(0.99) };
  return {
    of,
    policy,
    share,
    failed,
    // What nobody sees fail is not among the failures.
    row: {
      section: of,
      policy,
      sinkholeShare: share,
      ...(of === 'fails unseen' ? {} : { ...failed }),
      ...latencies,
    },
    line: rateLine(fleet, 'client', policy, ({ ends }) => ends.failed),
  };
}

function failedIn(samples: readonly GroupSample[]): Failed {
  const later = samples.slice(FIRST_S);
  return {
    failedFirstShare: failedShare(samples.slice(0, FIRST_S)),
    failedLaterShare: failedShare(later),
    worstSecondLaterShare: Math.max(...later.map((sample) => failedShare([sample]))),
  };
}

function failedShare(samples: readonly GroupSample[]): number {
  const failed = samples.reduce((sum, { ends }) => sum + ends.failed, 0);
  return failed / samples.reduce((sum, { offered }) => sum + offered, 0);
}

function checksOf({ of, policy, share, failed }: Seen): Check[] {
  switch (of) {
    case 'fails all':
      return [
        atMost(`${policy}: share that fails in the first ${FIRST_S} s`, failed.failedFirstShare, FAIR_SHARE),
        atMost(`${policy}: share that fails later`, failed.failedLaterShare, FAIR_SHARE / 10),
      ];
    case 'fails all, no ejection':
      return [atMost(`${policy}, no ejection: share of the sinkhole`, share, ABOUT_FAIR)];
    case 'fails half':
      return [atMost(`${policy}, half fail: share of the sinkhole`, share, FAIR_SHARE)];
    // That it is one at all, for those who look at speed: else nothing was shown.
    case 'fails unseen':
      return policy === 'weighted' || policy === 'prequal'
        ? [atLeast(`${policy}, unseen: share of the sinkhole`, share, FAIR_SHARE * 2)]
        : [];
  }
}

function figureOf(policies: readonly PolicyName[], seen: readonly Seen[]): Figure {
  const ofRun = (name: RunName) => seen.filter(({ of }) => of === name);
  return {
    title: 'One of twenty backends fails everything at once',
    caption:
      'It gets its share until each client has seen a few failures, then nothing until its ejection ends after 30 s; only failures that look like answers make a sinkhole.',
    panels: [
      {
        kind: 'lines',
        title: 'failures over time',
        x: { label: 'time, s' },
        y: { label: 'failures per second' },
        lines: ofRun('fails all').map(({ line }) => line),
        marks: [{ value: CLIENT.count * CLIENT.arrivals * FAIR_SHARE, label: 'fair share' }],
      },
      {
        kind: 'bars',
        title: 'what the failing backend gets',
        x: { label: 'policy', categories: policies },
        y: { label: 'share of requests' },
        bars: RUN_NAMES.map((name) => ({ name, values: ofRun(name).map(({ share }) => share) })),
        marks: [{ value: FAIR_SHARE, label: 'fair share' }],
      },
    ],
  };
}
