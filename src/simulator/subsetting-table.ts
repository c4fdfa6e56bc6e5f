import { checkInteger } from '../core/check.js';
import { nearestRank, spread } from '../core/measuring/index.js';
import {
  connectionsMoved,
  countConnections,
  type Fleet,
  type SubsettingAlgorithm,
  subsetOrder,
} from '../core/subsetting/index.js';

export interface SubsettingTableOptions {
  /** The first seed; random subsets are drawn for `seed` … `seed + seeds − 1`. */
  seed?: number;
  seeds?: number;
  clients?: number;
  backends?: number;
  size?: number;
}

type Shape = Required<SubsettingTableOptions>;

interface AlgorithmRow {
  section: 'algorithms';
  algorithm: SubsettingAlgorithm;
  /** Of the one draw with `seed`; what is typical of random subsets is in the other sections. */
  minOverMean: number;
  maxOverMean: number;
  /** Share of all connections that moves when one backend joins. */
  movedOnJoin: number;
  /** Worst share of any client's subset, when a tenth of the backends, neighbours in the list, restart together. */
  worstRestart: number;
}

interface RandomRunsRow {
  section: 'random over seeds';
  size: number;
  of: 'min/mean' | 'max/mean';
  mean: number;
  p5: number;
  p50: number;
  p95: number;
  /** What the run printed in the text found, and how many percent of our runs lie at or below it. */
  text: number;
  textPercentile: number;
}

interface RandomShareRow {
  section: 'random by share';
  share: number;
  size: number;
  /** Medians over the seeds. */
  minOverMean: number;
  maxOverMean: number;
}

interface TextRow {
  section: 'deterministic in the text';
  size: number;
  min: number;
  max: number;
}

/** Rows are flat, so that any printer of tables can show them; `section` says which belong together. */
export type SubsettingRow = AlgorithmRow | RandomRunsRow | RandomShareRow | TextRow;

export interface SubsettingCheck {
  name: string;
  value: number;
  bound: string;
  holds: boolean;
}

export interface SubsettingTable {
  scenario: 'subsetting-table';
  seed: number;
  options: Shape;
  rows: SubsettingRow[];
  checks: SubsettingCheck[];
}

/** SRE ch. 20, "Random Subsetting": 300 clients, 300 backends, 30 of them each. 200 seeds: p5 is the 10th run. */
const DEFAULTS: Shape = { seed: 0, seeds: 200, clients: 300, backends: 300, size: 30 };

const MOST_SEEDS = 10_000;

const ALGORITHMS = ['random', 'deterministic', 'rocksteadier'] as const;

const SHARES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9];

/** SRE ch. 20, figures 20-3 and 20-4: connections of the least and of the most used backend, over the mean. */
const TEXT_RUNS = [
  { share: 0.3, min: 57 / 90, max: 109 / 90 },
  { share: 0.1, min: 15 / 30, max: 45 / 30 },
];

/** The built-in scenario `subsetting-table`: the algorithms beside each other, and the text's figures. */
export function subsettingTable(options: SubsettingTableOptions = {}): SubsettingTable {
  const shape = checkOptions(options);
  const algorithms = ALGORITHMS.map((algorithm) => algorithmRow(algorithm, shape));
  const [runs, shares] = randomRows(shape);
  const text = textRow(shape.seed);
  // Bounds are known for the text's shape; another one is a question, not a test.
  const isText = shape.clients === 300 && shape.backends === 300 && shape.size === 30;
  return {
    scenario: 'subsetting-table',
    seed: shape.seed,
    options: shape,
    rows: [...algorithms, ...runs, ...shares, text],
    checks: isText ? checksOf(algorithms, runs, shares, text) : [],
  };
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

function algorithmRow(algorithm: SubsettingAlgorithm, shape: Shape): AlgorithmRow {
  const { size, seed, clients: clientCount } = shape;
  const fleet: Fleet = { algorithm, size, seed, clientCount, backends: backendKeys(shape.backends) };
  const { minOverMean, maxOverMean } = spread(countConnections(fleet));
  const joined: Fleet = { ...fleet, backends: backendKeys(shape.backends + 1) };
  const movedOnJoin = connectionsMoved(fleet, joined).movedShare;
  const worst = worstRestart(algorithm, shape);
  return { section: 'algorithms', algorithm, minOverMean, maxOverMean, movedOnJoin, worstRestart: worst };
}

/** Slides a window of a tenth of the backends over the list, for each client's subset. */
function worstRestart(algorithm: SubsettingAlgorithm, { backends, size, clients, seed }: Shape): number {
  const width = Math.round(backends / 10);
  let worst = 0;
  for (let clientId = 0; clientId < clients; clientId++) {
    const subset = subsetOrder(backends, { algorithm, size, clientId, seed }).subarray(0, size);
    const isMember = new Uint8Array(backends);
    for (const seat of subset) isMember[seat] = 1;
    let hit = 0;
    for (let end = 0; end < backends; end++) {
      hit += isMember[end]! - (isMember[end - width] ?? 0);
      worst = Math.max(worst, hit);
    }
  }
  return worst / size;
}

/** All shares of a seed come from one shuffle per client, whose prefixes they are. */
function randomRows(shape: Shape): [RandomRunsRow[], RandomShareRow[]] {
  const sizes = SHARES.map((share) => Math.round(share * shape.backends));
  const mins: number[][] = SHARES.map(() => []);
  const maxs: number[][] = SHARES.map(() => []);
  for (let seed = shape.seed; seed < shape.seed + shape.seeds; seed++) {
    const orders = Array.from({ length: shape.clients }, (_, clientId) =>
      subsetOrder(shape.backends, { algorithm: 'random', size: 1, clientId, seed }),
    );
    const counts = new Uint32Array(shape.backends);
    for (const [at, size] of sizes.entries()) {
      const from = sizes[at - 1] ?? 0;
      for (const order of orders) for (let step = from; step < size; step++) counts[order[step]!]!++;
      const { minOverMean, maxOverMean } = spread(counts);
      mins[at]!.push(minOverMean);
      maxs[at]!.push(maxOverMean);
    }
  }
  const runs = TEXT_RUNS.flatMap((text) => {
    const at = SHARES.indexOf(text.share);
    return [
      runsRow(sizes[at]!, 'min/mean', mins[at]!, text.min),
      runsRow(sizes[at]!, 'max/mean', maxs[at]!, text.max),
    ];
  });
  const shares = SHARES.map((share, at): RandomShareRow => {
    const [minOverMean, maxOverMean] = [quantile(mins[at]!, 0.5), quantile(maxs[at]!, 0.5)];
    return { section: 'random by share', share, size: sizes[at]!, minOverMean, maxOverMean };
  });
  return [runs, shares];
}

function runsRow(size: number, of: RandomRunsRow['of'], values: number[], text: number): RandomRunsRow {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const [p5, p50, p95] = [quantile(values, 0.05), quantile(values, 0.5), quantile(values, 0.95)];
  const textPercentile = (100 * values.filter((value) => value <= text).length) / values.length;
  return { section: 'random over seeds', size, of, mean, p5, p50, p95, text, textPercentile };
}

/** SRE ch. 20, figure 20-5: 300 clients, 10 of 300 backends each. */
function textRow(seed: number): TextRow {
  const backends = backendKeys(300);
  const counts = countConnections({ algorithm: 'deterministic', size: 10, seed, clientCount: 300, backends });
  return {
    section: 'deterministic in the text',
    size: 10,
    min: Math.min(...counts),
    max: Math.max(...counts),
  };
}

function checksOf(
  [, deterministic, rocksteadier]: AlgorithmRow[],
  [min30, max30, min10, max10]: RandomRunsRow[],
  shares: RandomShareRow[],
  text: TextRow,
): SubsettingCheck[] {
  // "Fair" is nobody further than a tenth from the mean.
  const fair = shares.filter((row) => row.minOverMean >= 0.9 && row.maxOverMean <= 1.1);
  const fairShare = Math.min(...fair.map((row) => row.share));
  return [
    check('random, 10 %: typical min/mean', min10!.p50, 0.45, 0.6),
    check('random, 10 %: typical max/mean', max10!.p50, 1.4, 1.6),
    check('random, 30 %: typical min/mean', min30!.p50, 0.74, 0.78),
    check('random, 30 %: typical max/mean', max30!.p50, 1.24, 1.28),
    check('random: share needed for a fair balance', fairShare, 0.7, 0.8),
    check('deterministic: min/mean', deterministic!.minOverMean, 1, 1),
    check('deterministic: max/mean', deterministic!.maxOverMean, 1, 1),
    check('deterministic, 10 of 300: least connections', text.min, 10, 10),
    check('deterministic, 10 of 300: most connections', text.max, 10, 10),
    check('rocksteadier: min/mean', rocksteadier!.minOverMean, 1, 1),
    check('rocksteadier: max/mean', rocksteadier!.maxOverMean, 1, 1),
    check('rocksteadier: moved when one backend joins', rocksteadier!.movedOnJoin, 0, 0.005),
    check('rocksteadier: worst restart of neighbours', rocksteadier!.worstRestart, 0, 0.15),
  ];
}

function check(name: string, value: number, least: number, most: number): SubsettingCheck {
  const bound = least === most ? `= ${most}` : least === 0 ? `<= ${most}` : `${least} … ${most}`;
  return { name, value, bound, holds: value >= least && value <= most };
}

function backendKeys(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `backend-${index}`);
}

/** By nearest rank: always a run that happened. */
function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[nearestRank(share, values.length) - 1]!;
}
