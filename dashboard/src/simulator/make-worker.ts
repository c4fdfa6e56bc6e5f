import type { Answer, Question } from './protocol.js';

/** What is used of a worker, so that tests need none. */
export interface SimulatorWorker {
  onmessage: ((event: MessageEvent<Answer>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage(question: Question): void;
  terminate(): void;
}

/** A thread of its own: the page goes on while a fleet of thousands is simulated. */
export function makeWorker(): SimulatorWorker {
  return new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'simulator' });
}
