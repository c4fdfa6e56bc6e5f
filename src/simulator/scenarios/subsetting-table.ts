import { checkInteger } from '../../core/check.js';
import { countConnections } from '../../core/subsetting/index.js';
import type { Figure, LinePanel } from '../report/figure.js';
import { atMost, between, type Check, type Result } from '../report/result.js';
import { BACKENDS, CLIENTS, countDraws } from './connections-per-backend.js';
import { FIGURE_20_3_RUN, FIGURE_20_4_RUN, type RandomRunsRow, typicalChecks } from './random-subsets.js';
import type { Scenario, ScenarioOptions } from './scenario.js';
import {
  type AlgorithmRow,
  algorithmRow,
  fleetOf,
  type RandomShareRow,
  randomRows,
  type Shape,
  type TextRow,
  textRow,
} from './subsetting-table-rows.js';

/** How many clients and backends, and how often random subsets are drawn. */
export interface SubsettingTableOptions {
  /** The first seed; random subsets are drawn for `seed` … `seed + seeds − 1`. */
  seed?: number;
  /** How often random subsets are drawn. */
  seeds?: number;
  /** How many clients there are. */
  clients?: number;
  /** How many backends there are. */
  backends?: number;
  /** How many backends a client uses. */
  size?: number;
}

/** `section` says which belong together. */
export type SubsettingRow = AlgorithmRow | RandomRunsRow | RandomShareRow | TextRow;

export interface SubsettingTable extends Result {
  readonly scenario: 'subsetting-table';
  readonly options: Required<SubsettingTableOptions>;
  readonly rows: SubsettingRow[];
  readonly checks: Check[];
}

/** SRE ch. 20, "Random Subsetting": 300 clients, 300 backends, 30 of them each. 200 seeds: p5 is the 10th run. */
const DEFAULTS: Shape = { seed: 0, seeds: 200, clients: CLIENTS, backends: BACKENDS, size: 30 };

const MOST_SEEDS = 10_000;

const ALGORITHMS = ['random', 'deterministic', 'rocksteadier'] as const;

export const subsettingTableScenario: Scenario = {
  name: 'subsetting-table',
  claim: 'three ways of choosing a subset: balance, connections moved, restarts (SRE ch. 20)',
  run({ seed, onProgress }) {
    const shape = checkOptions({ seed });
    return { result: tableOf(shape, onProgress), figures: [figureOf(shape)] };
  },
};

/** The built-in scenario `subsetting-table`: the algorithms beside each other, and the text's figures. */
export function subsettingTable(options: SubsettingTableOptions = {}): SubsettingTable {
  return tableOf(checkOptions(options));
}

function checkOptions(options: SubsettingTableOptions): Shape {
  const backends = checkInteger('backends', options.backends ?? DEFAULTS.backends, 10);
  return {
    seed: checkInteger('seed', options.seed ?? DEFAULTS.seed, 0, 0xffff_ffff - MOST_SEEDS),
    seeds: checkInteger('seeds', options.seeds ?? DEFAULTS.seeds, 1, MOST_SEEDS),
    clients: checkInteger('clients', options.clients ?? DEFAULTS.clients, 1),
    backends,
    size: checkInteger('size', options.size ?? DEFAULTS.size, 1, backends),
  };
}

function tableOf(shape: Shape, onProgress?: ScenarioOptions['onProgress']): SubsettingTable {
  const algorithms = ALGORITHMS.map((algorithm) => algorithmRow(algorithm, shape));
  const [runs, shares] = randomRows(shape, countDraws(shape.seeds, onProgress));
  const text = textRow(shape);
  // Bounds are known for the text's shape; another one is a question, not a test.
  const isText =
    shape.clients === DEFAULTS.clients &&
    shape.backends === DEFAULTS.backends &&
    shape.size === DEFAULTS.size;
  return {
    scenario: 'subsetting-table',
    seed: shape.seed,
    options: shape,
    rows: [...algorithms, ...runs, ...shares, text],
    checks: isText ? checksOf(algorithms, runs, shares, text) : [],
  };
}

function checksOf(
  [, deterministic, rocksteadier]: AlgorithmRow[],
  [min30, max30, min10, max10]: RandomRunsRow[],
  shares: RandomShareRow[],
  text: TextRow,
): Check[] {
  // "Fair" is nobody further than a tenth from the mean; with all backends in every subset everybody is at it.
  const fair = shares.filter((row) => row.minOverMean >= 0.9 && row.maxOverMean <= 1.1);
  const fairShare = Math.min(1, ...fair.map((row) => row.share));
  return [
    ...typicalChecks(FIGURE_20_4_RUN, min10!, max10!),
    ...typicalChecks(FIGURE_20_3_RUN, min30!, max30!),
    between('random: share needed for a fair balance', fairShare, 0.7, 0.8),
    between('deterministic: min/mean', deterministic!.minOverMean, 1, 1),
    between('deterministic: max/mean', deterministic!.maxOverMean, 1, 1),
    between('deterministic, 10 of 300: least connections', text.minConnections, 10, 10),
    between('deterministic, 10 of 300: most connections', text.maxConnections, 10, 10),
    between('rocksteadier: min/mean', rocksteadier!.minOverMean, 1, 1),
    between('rocksteadier: max/mean', rocksteadier!.maxOverMean, 1, 1),
    atMost('rocksteadier: moved when one backend joins', rocksteadier!.movedOnJoinShare, 0.005),
    atMost('rocksteadier: worst restart of neighbours', rocksteadier!.worstRestartShare, 0.15),
  ];
}

function figureOf(shape: Shape): Figure {
  return {
    title: `Connections per backend: ${shape.clients} clients, ${shape.size} of ${shape.backends} backends each`,
    caption:
      'The flatter the better: with random subsets some backends have more than twice the load of others.',
    panels: ALGORITHMS.map((algorithm): LinePanel => {
      const counts = countConnections(fleetOf(algorithm, shape)).sort();
      const mean = (shape.clients * shape.size) / shape.backends;
      return {
        kind: 'lines',
        title: algorithm,
        x: { label: 'backends, the least used first' },
        y: { label: 'connections' },
        lines: [{ name: 'connections', points: Array.from(counts, (count, rank) => [rank + 1, count]) }],
        marks: [{ value: mean, label: `mean ${mean}` }],
      };
    }),
    sharesScale: true,
  };
}
