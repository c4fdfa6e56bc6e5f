import { backendRows, type Fleet, type FleetInput, requestRows } from '../fleet/index.js';
import type { Figure, Line } from '../report/figure.js';
import { atLeast, type Row } from '../report/result.js';
import { runFleets } from './run-fleets.js';
import type { Scenario } from './scenario.js';

/**
 * Call tree (WeChat's DAGOR, SoCC 2018): tasks that call one overloaded service k times, and are lost when any one of
 * the calls is refused. A leaf of 750 calls a second is offered 1,500. When each call is refused or not by a choice of
 * its own, 0.5^k of the tasks complete, and most of what the leaf does is done for tasks that are lost. When all calls
 * of a task have the same place in the order of refusal (a hash of its trace id, the same at every backend), half of
 * the tasks complete whatever k is: those that are admitted once are admitted k times.
 *
 * Claimed: at least 45 % of the tasks complete for k from 1 to 4. Shown twice: with a front that lets everything
 * through, so that the leaf alone decides (what DAGOR measured), and with everything as it comes, where the front's
 * guard, its throttle and its retries have a part in it.
 */
const LEAF_PER_SECOND = 750;
const CALLS_PER_SECOND = 2 * LEAF_PER_SECOND;
const CALLS_PER_TASK = [1, 2, 3, 4];
const CLIENTS = 10;

/** Three of each: what one backend refuses the others must refuse as well. */
const LEAVES = 3;
const FRONTS = 3;

const PLAIN = { throttle: false, retry: { maxAttempts: 1 } } as const;

type Front = 'leaf alone decides' | 'everything as it comes';
const FRONT_KINDS: readonly Front[] = ['leaf alone decides', 'everything as it comes'];

function fleetOf(front: Front, calls: number): FleetInput {
  const link = front === 'leaf alone decides' ? PLAIN : {};
  return {
    warmupMs: 8_000,
    durationMs: 20_000,
    services: {
      front: {
        // 30 cores for at most 1,500 × 0.2 ms a second: 1 % of them.
        backends: [{ count: FRONTS, cores: 10 }],
        costMs: 0.2,
        calls: [{ service: 'leaf', times: calls, ...link }],
        ...(front === 'leaf alone decides' ? { guard: false } : {}),
      },
      leaf: { backends: LEAVES, costMs: (LEAVES * 1_000) / LEAF_PER_SECOND },
    },
    clients: {
      client: {
        count: CLIENTS,
        service: 'front',
        // So many calls if all of them were made: no order of refusal can complete more than half of the tasks.
        arrivals: CALLS_PER_SECOND / calls / CLIENTS,
        ...link,
      },
    },
  };
}

/**
 * Independent choices at a leaf that refuses no more than it has to: later calls of tasks that are lost are not made,
 * so it is offered less. A call is admitted with the chance s for which s + s² + … + s^k, the calls served for a task,
 * is k/2, the calls there is room for.
 */
function independentShare(calls: number): number {
  let low = 0;
  let high = 1;
  for (let step = 0; step < 50; step++) {
    const admitted = (low + high) / 2;
    let served = 0;
    for (let call = 1; call <= calls; call++) served += admitted ** call;
    if (served < calls / 2) low = admitted;
    else high = admitted;
  }
  return low ** calls;
}

const RUNS = FRONT_KINDS.flatMap((front) => CALLS_PER_TASK.map((calls) => ({ front, calls })));

interface Seen {
  readonly front: Front;
  readonly calls: number;
  readonly completedShare: number;
  readonly rows: readonly Row[];
}

export const callTreeScenario: Scenario = {
  name: 'call-tree',
  claim: 'twice what a leaf can serve: near half of the tasks complete, however many calls each makes',
  run(options) {
    const inputs = RUNS.map(({ front, calls }) => fleetOf(front, calls));
    const seen = runFleets(inputs, options, (fleet, at) => look(fleet, RUNS[at]!));
    const checks = seen.map(({ front, calls, completedShare }) =>
      atLeast(`${front}, ${calls} calls a task: completed share`, completedShare, 0.45),
    );
    const result = {
      scenario: 'call-tree',
      seed: options.seed,
      options: { callsPerTask: CALLS_PER_TASK, fleet: fleetOf('leaf alone decides', 1) },
      rows: seen.flatMap(({ rows }) => rows),
      checks,
    };
    return { result, figures: [figureOf(seen)] };
  },
};

function look(fleet: Fleet, { front, calls }: { front: Front; calls: number }): Seen {
  const { offered, good } = fleet.group('client').traffic.all;
  const completedShare = good / offered;
  const summary = {
    section: 'tasks',
    front,
    callsPerTask: calls,
    completedShare,
    independentShare: 0.5 ** calls,
    independentAdaptedShare: independentShare(calls),
  };
  const names = { front, callsPerTask: calls };
  const rows = [summary, ...requestRows(fleet, names), ...backendRows(fleet, names)];
  return { front, calls, completedShare, rows };
}

function figureOf(seen: readonly Seen[]): Figure {
  const measured = FRONT_KINDS.map((front): Line => {
    const runs = seen.filter((run) => run.front === front);
    return { name: front, points: runs.map(({ calls, completedShare }) => [calls, completedShare] as const) };
  });
  const computed = (name: string, share: (calls: number) => number): Line => ({
    name,
    points: CALLS_PER_TASK.map((calls) => [calls, share(calls)] as const),
  });
  return {
    title: 'Tasks that complete, at twice what the leaf can serve',
    caption:
      'In a consistent order of refusal half of the tasks complete however many calls they make. If each call were ' +
      'refused by chance it would be 0.5^k, or a little more at a leaf that refuses no more than it must (computed).',
    panels: [
      {
        kind: 'lines',
        title: 'completed tasks',
        x: { label: 'calls per task, k' },
        y: { label: 'share of all tasks' },
        lines: [
          ...measured,
          computed('by chance: 0.5^k', (calls) => 0.5 ** calls),
          computed('by chance, no more than it must', independentShare),
        ],
        marks: [{ value: 0.5, label: 'best possible' }],
      },
    ],
  };
}
