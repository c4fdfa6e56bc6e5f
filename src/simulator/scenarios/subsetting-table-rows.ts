import { spread } from '../../core/measuring/index.js';
import {
  connectionsMoved,
  countConnections,
  type Fleet,
  type SubsettingAlgorithm,
  subsetOrder,
} from '../../core/subsetting/index.js';
import { BACKENDS, backendKeys, CLIENTS } from './connections-per-backend.js';
import {
  FIGURE_20_3_RUN,
  FIGURE_20_4_RUN,
  quantile,
  type RandomRunsRow,
  runsRows,
} from './random-subsets.js';

/** The fleet, and from which seed how many draws. */
export interface Shape {
  readonly seed: number;
  readonly seeds: number;
  readonly clients: number;
  readonly backends: number;
  readonly size: number;
}

/** How evenly an algorithm spreads, and what moves. */
export type AlgorithmRow = {
  section: 'algorithms';
  algorithm: SubsettingAlgorithm;
  /** Of the one draw with `seed`; what is typical of random subsets is in the other sections. */
  minOverMean: number;
  maxOverMean: number;
  /** Of all connections, when one backend joins. */
  movedOnJoinShare: number;
  /** Of any client's subset, at worst, when a tenth of the backends, neighbours in the list, restart together. */
  worstRestartShare: number;
};

/** How uneven random subsets are at one share of the backends, over many seeds. */
export type RandomShareRow = {
  section: 'random by share';
  share: number;
  size: number;
  /** Medians over the seeds. */
  minOverMean: number;
  maxOverMean: number;
};

/** Where the runs of the SRE book lie among them. */
export type TextRow = {
  section: 'deterministic in the text';
  size: number;
  minConnections: number;
  maxConnections: number;
};

const SHARES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9];

/** All clients of the shape, and their subsets. */
export function fleetOf(algorithm: SubsettingAlgorithm, { size, seed, clients, backends }: Shape): Fleet {
  return { algorithm, size, seed, clientCount: clients, backends: backendKeys(backends) };
}

export function algorithmRow(algorithm: SubsettingAlgorithm, shape: Shape): AlgorithmRow {
  const fleet = fleetOf(algorithm, shape);
  const { minOverMean, maxOverMean } = spread(countConnections(fleet));
  const joined = { ...fleet, backends: backendKeys(shape.backends + 1) };
  return {
    section: 'algorithms',
    algorithm,
    minOverMean,
    maxOverMean,
    movedOnJoinShare: connectionsMoved(fleet, joined).movedShare,
    worstRestartShare: worstRestart(algorithm, shape),
  };
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
export function randomRows(
  shape: Shape,
  onDraw: () => void,
): [runs: RandomRunsRow[], shares: RandomShareRow[]] {
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
    onDraw();
  }
  const runs = [FIGURE_20_3_RUN, FIGURE_20_4_RUN].flatMap((text) => {
    const at = SHARES.indexOf(text.share);
    return runsRows(sizes[at]!, mins[at]!, maxs[at]!, text);
  });
  const shares = SHARES.map((share, at): RandomShareRow => {
    const [minOverMean, maxOverMean] = [quantile(mins[at]!, 0.5), quantile(maxs[at]!, 0.5)];
    return { section: 'random by share', share, size: sizes[at]!, minOverMean, maxOverMean };
  });
  return [runs, shares];
}

/** SRE ch. 20, figure 20-5: 300 clients, 10 of 300 backends each. */
export function textRow({ seed, seeds }: Shape): TextRow {
  const text = { seed, seeds, clients: CLIENTS, backends: BACKENDS, size: 10 };
  const { min, max } = spread(countConnections(fleetOf('deterministic', text)));
  return {
    section: 'deterministic in the text',
    size: text.size,
    minConnections: min,
    maxConnections: max,
  };
}
