import { useEffect, useRef, useState } from 'preact/hooks';
import type { Choice } from './protocol.js';
import type { Running } from './run-progress.js';
import { type RunEnd, startRun } from './start-run.js';

export interface EndedRun {
  readonly choice: Choice;
  readonly end: RunEnd;
}

const NOTHING_YET: Running = { progress: { share: 0, events: 0 }, elapsedMs: 0 };

/** One run at a time; whoever leaves the page ends it. */
export function useRun() {
  const [running, setRunning] = useState<Running>();
  const [ended, setEnded] = useState<EndedRun>();
  const current = useRef<{ cancel(): void }>();
  useEffect(() => () => current.current?.cancel(), []);
  const start = (choice: Choice) => {
    setEnded(undefined);
    setRunning(NOTHING_YET);
    current.current = startRun(choice, {
      onProgress: (progress, elapsedMs) => setRunning({ progress, elapsedMs }),
      onEnd: (end) => {
        setRunning(undefined);
        setEnded({ choice, end });
      },
    });
  };
  return { running, ended, start, cancel: () => current.current?.cancel() };
}
