/** Something to be done when the turn of the loop ends. */
export interface TurnEndJob {
  onTurnEnd(): void;
}

let jobs: TurnEndJob[] = [];

/**
 * Once all that has come in this turn has been read. A connection that was used before may have been closed, or something
 * nobody asked for may have come on it: what is written only then meets neither, as far as it was there (GHSA-35p6-xmwp-9g52).
 * And what is read at once can be written at once. One timer for all of a turn.
 */
export function atTurnEnd(job: TurnEndJob): void {
  if (jobs.push(job) === 1) setImmediate(runJobs);
}

function runJobs(): void {
  const now = jobs;
  jobs = [];
  let begun = 0;
  try {
    while (begun < now.length) now[begun++]!.onTurnEnd();
  } finally {
    // One has thrown: those behind it have nothing to do with it.
    while (begun < now.length) atTurnEnd(now[begun++]!);
  }
}
