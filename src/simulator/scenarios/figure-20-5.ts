import { spread } from '../../core/measuring/index.js';
import { atLeast, atMost, between } from '../report/result.js';
import {
  BACKENDS,
  CLIENTS,
  connectionsFigure,
  connectionsRow,
  countDraws,
  drawConnections,
} from './connections-per-backend.js';
import { quantile } from './random-subsets.js';
import type { Scenario } from './scenario.js';

/** SRE ch. 20, "Deterministic Subsetting": 300 clients with 10 of 300 backends each, and all backends used alike. */
const SIZE = 10;
const CONNECTIONS = (CLIENTS * SIZE) / BACKENDS;

/** Other seeds are other shuffles; what is exact is so in each. */
const DRAWS = 50;

export const figure205Scenario: Scenario = {
  name: 'figure-20-5',
  claim: 'deterministic subsets of 10 of 300: every backend has exactly 10 connections',
  run({ seed, onProgress }) {
    const onDraw = countDraws(2 * DRAWS, onProgress);
    const deterministic = drawConnections('deterministic', SIZE, DRAWS, seed, onDraw);
    const random = drawConnections('random', SIZE, DRAWS, seed, onDraw);
    const exact = deterministic.map(spread);
    const loose = random.map(spread);
    const typical = (values: number[]) => quantile(values, 0.5);
    return {
      result: {
        scenario: 'figure-20-5',
        seed,
        options: { clients: CLIENTS, backends: BACKENDS, size: SIZE, draws: DRAWS },
        rows: [
          connectionsRow('deterministic', SIZE, deterministic[0]!),
          connectionsRow('random', SIZE, random[0]!),
        ],
        checks: [
          between('deterministic: least connections of all draws', least(exact), CONNECTIONS, CONNECTIONS),
          between('deterministic: most connections of all draws', most(exact), CONNECTIONS, CONNECTIONS),
          // Else it would be no merit: most of 3,000 random draws had a backend with 2 or 3, and one with 20.
          atMost('random: typical min/mean', typical(loose.map(({ minOverMean }) => minOverMean)), 0.4),
          atLeast('random: typical max/mean', typical(loose.map(({ maxOverMean }) => maxOverMean)), 1.8),
        ],
      },
      figures: [
        connectionsFigure(
          `Deterministic subsets of ${SIZE} of ${BACKENDS} backends`,
          'Every backend has the same number of connections.',
          deterministic[0]!,
        ),
      ],
    };
  },
};

function least(draws: readonly { readonly min: number }[]): number {
  return Math.min(...draws.map(({ min }) => min));
}

function most(draws: readonly { readonly max: number }[]): number {
  return Math.max(...draws.map(({ max }) => max));
}
