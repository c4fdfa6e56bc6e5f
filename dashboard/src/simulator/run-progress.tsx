import { formatDuration } from '../../../src/simulations/report/duration.js';
import { formatCompact } from '../../../src/simulations/report/numbers.js';
import type { Progress } from '../../../src/simulator/scenarios/scenario.js';

export interface Running {
  readonly progress: Progress;
  readonly elapsedMs: number;
}

/** How far a run is. The numbers change ten times a second: somebody who listens is told each quarter. */
export function RunProgress({ running }: { readonly running: Running | undefined }) {
  return (
    <>
      {running !== undefined && (
        <div class="sim-progress">
          <progress max={1} value={running.progress.share} aria-label="simulated" />
          <span aria-hidden="true">{wordsFor(running)}</span>
        </div>
      )}
      <p class="hidden" role="status">
        {running !== undefined && `Simulating, ${quarterOf(running)} % done`}
      </p>
    </>
  );
}

function quarterOf({ progress }: Running): number {
  return Math.floor(progress.share * 4) * 25;
}

function wordsFor({ progress: { share, events }, elapsedMs }: Running): string {
  const parts = [`${Math.floor(share * 100)} %`];
  if (elapsedMs > 0) parts.push(`${formatCompact((events * 1_000) / elapsedMs)} events/s`);
  if (share > 0) parts.push(`${formatDuration((elapsedMs * (1 - share)) / share)} left`);
  return parts.join(' · ');
}
