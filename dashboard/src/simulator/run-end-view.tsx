import { formatDuration } from '../../../src/simulations/report/duration.js';
import { Problems } from './problems.js';
import { Results } from './results.js';
import { MOST_RUN_MS } from './start-run.js';
import type { EndedRun } from './use-run.js';

interface Props {
  readonly ended: EndedRun;
  readonly onEdit: (text: string) => void;
}

/** However a run ended, somebody is told. */
export function RunEndView({ ended: { choice, end }, onEdit }: Props) {
  switch (end.kind) {
    case 'done':
      return <Results run={end.run} elapsedMs={end.elapsedMs} choice={choice} onEdit={onEdit} />;
    case 'refused':
      return (
        <div role="alert">
          <p class="sim-bad">This cannot be simulated:</p>
          <Problems refusal={end} />
        </div>
      );
    case 'failed':
      return (
        <p role="alert" class="sim-bad">
          The simulation failed: {end.text}
        </p>
      );
    case 'cancelled':
      return <p role="status">Cancelled.</p>;
    case 'too-long':
      return (
        <p role="alert" class="sim-bad">
          Stopped after {formatDuration(MOST_RUN_MS)}. <code>plimsoll simulate</code> has no such limit.
        </p>
      );
  }
}
