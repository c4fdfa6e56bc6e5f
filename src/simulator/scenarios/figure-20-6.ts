import type { PolicyName } from '../../core/picking/index.js';
import {
  backendRows,
  cpuPanel,
  type Fleet,
  type FleetInput,
  requestRows,
  typicalPeak,
} from '../fleet/index.js';
import type { Figure, LinePanel } from '../report/figure.js';
import { atLeast, atMost, type Check, type Row } from '../report/result.js';
import { runFleets } from './run-fleets.js';
import type { Scenario } from './scenario.js';
import { withPolicy } from './with-policy.js';

/**
 * SRE ch. 20, figure 20-6: CPU of each backend while clients change from least-loaded to weighted round robin; the
 * distance from the least to the most loaded shrinks at once. Here the policies of the text stand side by side, on the
 * same requests and the same machines.
 *
 * Of the text's causes of uneven load, machines of different speed, neighbours and varying cost are in the first fleet.
 * Weights see all of them: a backend that spends more CPU on a request gets fewer requests.
 *
 * The second fleet has nothing but clients of unequal demand with small subsets. There weights cannot help: a backend
 * that happens to have the busy clients serves more requests and spends more CPU, both by the same factor, so its
 * weight is that of all others.
 */
const SERVICE = 'server';

const POLICIES: readonly PolicyName[] = ['round-robin', 'least-loaded', 'weighted'];

/** Weights count from 10 s after the first report on (gRFC A58's blackout), and need a few seconds to settle. */
const WARMUP_MS = 15_000;

/** A point of the figure: a backend serves 140 requests in it, enough to see its load and not their chance. */
const SAMPLE_MS = 2_000;

/** 10 s. A quarter of the machines get other neighbours in it: a typical stretch contains a few that do. */
const SAMPLES_PER_STRETCH = 5;

/** Three generations of machines, ten of each. For the same requests they need CPU as 1 : 2/3 : 1/2. */
const SPEEDS = [1, 1.5, 2];

/** As often redrawn as in the model of the Prequal paper. */
const NEIGHBOURS = {
  busyShare: 0.3,
  idleCores: 0,
  slowdown: { uniform: { from: 1.1, to: 1.5 } },
  redrawMs: 30_000,
};

/** 7 ms on average; one in a hundred costs more than five times the median. */
const COST_MS = { lognormal: { median: 5.5, sigma: 0.7 } };

/**
 * 70 requests a second for each backend. Round robin uses 39 % of all CPU then, and 74 % of a slow machine with the
 * worst neighbours: one that is full would not show how much more it was sent. No guard, for the same reason. Every
 * client uses all backends and so knows all weights.
 */
const MACHINES_DIFFER: FleetInput = {
  warmupMs: WARMUP_MS,
  durationMs: 40_000,
  services: {
    [SERVICE]: {
      backends: SPEEDS.map((speed) => ({ count: 10, speed, neighbours: NEIGHBOURS })),
      costMs: COST_MS,
      guard: false,
    },
  },
  clients: { client: { count: 20, service: SERVICE, arrivals: 105 } },
};

/**
 * Sixty clients with 5 of 30 backends each: every backend has ten of them. Demand has a deviation of 0.8 means, that of
 * ten clients together one of 0.25, and the unluckiest of thirty backends lies two of these above the mean.
 */
const DEMANDS_DIFFER: FleetInput = {
  warmupMs: WARMUP_MS,
  durationMs: 20_000,
  services: { [SERVICE]: { backends: 30, costMs: COST_MS, guard: false } },
  clients: {
    client: {
      count: 60,
      service: SERVICE,
      arrivals: 30,
      demand: { lognormal: { median: 1, sigma: 0.7 } },
      subset: { size: 5 },
    },
  },
};

const FLEETS = { 'machines differ': MACHINES_DIFFER, 'demands differ': DEMANDS_DIFFER } as const;
type FleetName = keyof typeof FLEETS;
const FLEET_NAMES = Object.keys(FLEETS) as FleetName[];

interface Seen {
  readonly of: FleetName;
  readonly policy: PolicyName;
  /** Max over mean of CPU, in a typical stretch of 10 s. */
  readonly peak: number;
  readonly rows: readonly Row[];
  readonly panel: LinePanel;
}

export const figure206Scenario: Scenario = {
  name: 'figure-20-6',
  claim: 'weighted round robin evens out CPU where machines differ; where demands differ it cannot',
  policies: POLICIES,
  run(options) {
    const policies = options.policies ?? POLICIES;
    const runs = FLEET_NAMES.flatMap((of) => policies.map((policy) => ({ of, policy })));
    const inputs = runs.map(({ of, policy }) => withPolicy(FLEETS[of], policy));
    const seen = runFleets(inputs, options, (fleet, at) => look(fleet, runs[at]!), SAMPLE_MS);
    return {
      result: {
        scenario: 'figure-20-6',
        seed: options.seed,
        options: { policies, fleets: FLEETS },
        rows: seen.flatMap(({ rows }) => rows),
        checks: checksOf(seen),
      },
      figures: [
        figureOf(
          seen,
          'machines differ',
          'Machines of three speeds, with neighbours that come and go: weights bring all backends to one level.',
        ),
        figureOf(
          seen,
          'demands differ',
          'Equal machines, and clients of unequal demand with 5 of 30 backends each: weights cannot help, since a backend with busy clients does more work at the same cost.',
        ),
      ],
    };
  },
};

function look(fleet: Fleet, { of, policy }: { of: FleetName; policy: PolicyName }): Seen {
  const peak = typicalPeak(fleet, SERVICE, SAMPLES_PER_STRETCH);
  const rows = [
    ...backendRows(fleet, { fleet: of, policy, typicalMaxOverMean: peak }),
    ...requestRows(fleet, { fleet: of, policy }),
  ];
  return { of, policy, peak, rows, panel: cpuPanel(fleet, SERVICE, policy) };
}

/** Of the policies that were run. */
function checksOf(seen: readonly Seen[]): Check[] {
  const peakOf = (of: FleetName, policy: PolicyName) =>
    seen.find((run) => run.of === of && run.policy === policy)?.peak;
  const check = (of: FleetName, policy: PolicyName, compare: typeof atMost, bound: number): Check[] => {
    const peak = peakOf(of, policy);
    return peak === undefined ? [] : [compare(`max/mean CPU where ${of}, ${policy}`, peak, bound)];
  };
  const [helped, unhelped] = [peakOf('demands differ', 'weighted'), peakOf('demands differ', 'round-robin')];
  return [
    ...check('machines differ', 'round-robin', atLeast, 1.5),
    // The text: in large services it performs about as poorly as round robin, as most clients have no request active.
    ...check('machines differ', 'least-loaded', atLeast, 1.3),
    ...check('machines differ', 'weighted', atMost, 1.1),
    ...check('demands differ', 'weighted', atLeast, 1.25),
    ...(helped === undefined || unhelped === undefined
      ? []
      : [atLeast('max/mean CPU where demands differ, weighted over round robin', helped / unhelped, 0.9)]),
  ];
}

function figureOf(seen: readonly Seen[], of: FleetName, caption: string): Figure {
  const panels = seen.filter((run) => run.of === of).map(({ panel }) => panel);
  return { title: `CPU of each backend: ${of}`, caption, panels, sharesScale: true };
}
