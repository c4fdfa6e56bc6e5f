import type { PolicyName } from '../../core/picking/index.js';
import type { Fleet, GroupSample } from '../fleet/index.js';
import type { Figure } from '../report/figure.js';
import { atLeast, atMost, type Check } from '../report/result.js';
import { prequalModel } from './prequal-model.js';
import { runFleets } from './run-fleets.js';
import type { Scenario } from './scenario.js';

/** The paper's ramp: .75 · (10/9)^i of what is reserved, up to 1.74 times. */
const LOADS = Array.from({ length: 9 }, (_, step) => 0.75 * (10 / 9) ** step);
/** A few seconds each, and longer at the top: contended machines fill up for as long as their neighbours stay. */
const STEP_S = 12;
const LAST_STEP_S = 45;
/** What times out in a step was sent up to a deadline earlier: the first seconds of a step are not looked at. */
const DEADLINE_S = 5;
const WARMUP_MS = 15_000;

const POLICIES: readonly PolicyName[] = ['weighted', 'prequal'];

interface Step {
  readonly policy: PolicyName;
  readonly load: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly offeredPerSecond: number;
  readonly errorShare: number;
  readonly cpuShare: number;
}

/**
 * The load ramp of the Prequal paper. Weights follow from CPU per request, which contended machines show no sign of:
 * they are sent as much as the others until their requests run out of time. There, weighted round robin hit its
 * deadline at p99.9 from 1.03 × on and failed more than 25 % at 1.74 ×; Prequal had no errors at all.
 */
export const prequalRampScenario: Scenario = {
  name: 'prequal-ramp',
  claim:
    'up to 1.74 × what is reserved Prequal misses no deadline, where weighted round robin misses 10 % (NSDI 2024)',
  policies: POLICIES,
  run(options) {
    const policies = options.policies ?? POLICIES;
    const steps = LOADS.map((load, step) => ({
      atMs: WARMUP_MS + step * STEP_S * 1_000,
      factor: load / LOADS[0]!,
    }));
    const durationMs = ((LOADS.length - 1) * STEP_S + LAST_STEP_S) * 1_000;
    const inputs = policies.map((policy) =>
      prequalModel({ policy, load: LOADS[0]!, steps: steps.slice(1), warmupMs: WARMUP_MS, durationMs }),
    );
    const found = runFleets(inputs, options, (fleet, index) => {
      const { offered, good } = fleet.group('callers').traffic.all;
      return { policy: policies[index]!, missed: offered - good, steps: stepsOf(fleet, policies[index]!) };
    });
    return {
      result: {
        scenario: 'prequal-ramp',
        seed: options.seed,
        options: { policies, loads: LOADS, fleet: inputs[0] },
        rows: found.flatMap(({ steps }) => steps.map((step) => ({ ...step }))),
        checks: found.flatMap(checksOf),
      },
      figures: [figureOf(found.flatMap(({ steps }) => steps))],
    };
  },
};

function checksOf({
  policy,
  missed,
  steps,
}: {
  policy: PolicyName;
  missed: number;
  steps: readonly Step[];
}): Check[] {
  if (policy === 'prequal') return [atMost('deadlines missed by Prequal on the whole ramp', missed, 0)];
  if (policy !== 'weighted') return [];
  return [
    atLeast('share of deadlines missed by weighted round robin at 1.74 ×', steps.at(-1)!.errorShare, 0.1),
  ];
}

function stepsOf({ samples }: Fleet, policy: PolicyName): Step[] {
  return LOADS.map((load, step) => {
    const end = step === LOADS.length - 1 ? samples.length : (step + 1) * STEP_S;
    const stretch = samples.slice(step * STEP_S + DEADLINE_S, end);
    const groups = stretch.map((sample) => sample.groups['callers']!);
    const sum = (count: (group: GroupSample) => number) =>
      groups.reduce((added, group) => added + count(group), 0);
    const missed = sum(({ ends }) => ends['timed-out']);
    const cpus = stretch.flatMap(({ services }) => [...services['web']!.cpu]);
    return {
      policy,
      load,
      p50Ms: middle(groups.map(({ p50Ms }) => p50Ms ?? 0)),
      p99Ms: middle(groups.map(({ p99Ms }) => p99Ms ?? 0)),
      offeredPerSecond: sum(({ offered }) => offered) / groups.length,
      errorShare: missed / (missed + sum(({ ends }) => ends.served)),
      cpuShare: cpus.reduce((added, cpu) => added + cpu, 0) / cpus.length,
    };
  });
}

/** Of a step's seconds, the one in the middle. */
function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

function figureOf(steps: readonly Step[]): Figure {
  const policies = [...new Set(steps.map(({ policy }) => policy))];
  const lines = (measure: (step: Step) => number) =>
    policies.map((name) => ({
      name,
      points: steps
        .filter(({ policy }) => policy === name)
        .map((step) => [step.load, measure(step)] as const),
    }));
  const x = { label: 'load, 1 = reserved' };
  return {
    title: 'Beyond what is reserved',
    caption: 'Idle cores of other machines are there to be used, by whoever finds them.',
    panels: [
      {
        kind: 'lines',
        title: '99th percentile',
        x,
        y: { label: 'latency, ms', isLogarithmic: true },
        lines: lines(({ p99Ms }) => p99Ms),
      },
      {
        kind: 'lines',
        title: 'deadlines missed',
        x,
        y: { label: 'share of requests' },
        lines: lines(({ errorShare }) => errorShare),
      },
    ],
  };
}
