import { describeProblem } from '../../../src/config/settings-error.js';
import type { Refusal } from './protocol.js';

interface Props {
  readonly refusal: Refusal;
  /** Left out where there is nothing to go to. */
  readonly onGoTo?: (line: number, column: number) => void;
}

/** What is wrong, in the words of the command line. Those with a place lead there. */
export function Problems({ refusal: { problems, more }, onGoTo }: Props) {
  return (
    <ul class="sim-problems">
      {problems.map((problem) => {
        const text = describeProblem('fleet.yaml', problem);
        const { line, column } = problem;
        if (onGoTo === undefined || line === undefined || column === undefined)
          return <li key={text}>{text}</li>;
        return (
          <li key={text}>
            <button type="button" class="sim-problem" onClick={() => onGoTo(line, column)}>
              {text}
            </button>
          </li>
        );
      })}
      {more > 0 && <li>and {more} more</li>}
    </ul>
  );
}
