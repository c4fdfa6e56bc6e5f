import { spread } from '../../core/measuring/index.js';
import { between, type Check } from '../report/result.js';
import {
  BACKENDS,
  CLIENTS,
  connectionsFigure,
  connectionsRow,
  countDraws,
  drawConnections,
} from './connections-per-backend.js';
import { runsRows, type TextRun, typicalChecks } from './random-subsets.js';
import type { Scenario } from './scenario.js';

/** p5 is the tenth of them. */
export const DRAWS = 200;

export interface RandomFigure {
  readonly name: string;
  readonly claim: string;
  readonly text: TextRun;
  readonly draws: number;
  /** Where the text's run should lie: given the shares of draws at or below its least, and its most. */
  readonly placeOfText: (atOrBelowMinShare: number, atOrBelowMaxShare: number) => readonly Check[];
}

/**
 * Connections of each backend with random subsets (SRE ch. 20, "Random Subsetting"): one draw, as the book shows it,
 * and many, to see whether the book's is one of them.
 */
export function randomFigure({ name, claim, text, draws, placeOfText }: RandomFigure): Scenario {
  const size = Math.round(text.share * BACKENDS);
  return {
    name,
    claim,
    run({ seed, onProgress }) {
      const drawn = drawConnections('random', size, draws, seed, countDraws(draws, onProgress));
      const spreads = drawn.map(spread);
      const [min, max] = runsRows(
        size,
        spreads.map(({ minOverMean }) => minOverMean),
        spreads.map(({ maxOverMean }) => maxOverMean),
        text,
      );
      const deviation = deviationRow(size, drawn);
      const checks: Check[] = [
        ...typicalChecks(text, min, max),
        ...placeOfText(min.atOrBelowTextShare, max.atOrBelowTextShare),
        // Of 200 times 300 backends the deviation is known to 0.3 %; this is five times that.
        between('deviation over that of fair draws', deviation.overFair, 0.985, 1.015),
      ];
      const [shown] = drawn;
      return {
        result: {
          scenario: name,
          seed,
          options: { algorithm: 'random', clients: CLIENTS, backends: BACKENDS, size, draws },
          rows: [connectionsRow('random', size, shown!), min, max, deviation],
          checks,
        },
        figures: [
          connectionsFigure(
            `Random subsets of ${size} of ${BACKENDS} backends`,
            'Some backends have far more connections than others, and so more load.',
            shown!,
          ),
        ],
      };
    },
  };
}

/**
 * Each client has a backend in its subset with the same probability, each on its own: connections are binomial,
 * whatever the extremes of a few draws.
 */
function deviationRow(size: number, draws: readonly Uint32Array[]) {
  let squares = 0;
  for (const counts of draws)
    for (const count of counts) squares += (count - (CLIENTS * size) / BACKENDS) ** 2;
  const deviationConnections = Math.sqrt(squares / (draws.length * BACKENDS));
  const share = size / BACKENDS;
  const fairConnections = Math.sqrt(CLIENTS * share * (1 - share));
  return {
    section: 'deviation over seeds',
    size,
    deviationConnections,
    fairConnections,
    overFair: deviationConnections / fairConnections,
  };
}
