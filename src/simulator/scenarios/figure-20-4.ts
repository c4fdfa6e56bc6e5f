import { between } from '../report/result.js';
import { DRAWS, randomFigure } from './random-figure.js';
import { FIGURE_20_4_RUN } from './random-subsets.js';

/**
 * In the text the least used backend has 50 % of the mean, the most used 150 %. An ordinary draw: of 3,000 a third had a
 * backend so little used, and nearly half none used more.
 */
export const figure204Scenario = randomFigure({
  name: 'figure-20-4',
  claim: 'random subsets of 10 %: backends have half to one and a half of the mean, as printed',
  text: FIGURE_20_4_RUN,
  draws: DRAWS,
  placeOfText: (atOrBelowMinShare, atOrBelowMaxShare) => [
    between("draws at or below the text's min/mean", atOrBelowMinShare, 0.15, 0.5),
    between("draws at or below the text's max/mean", atOrBelowMaxShare, 0.25, 0.7),
  ],
});
