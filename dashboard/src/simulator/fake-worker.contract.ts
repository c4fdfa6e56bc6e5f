import type { SimulatorWorker } from './make-worker.js';
import type { Answer, Question } from './protocol.js';

/** A worker that says what a test has it say. */
export class FakeWorker implements SimulatorWorker {
  onmessage: SimulatorWorker['onmessage'] = null;
  onerror: SimulatorWorker['onerror'] = null;
  readonly asked: Question[] = [];
  isGone = false;

  postMessage(question: Question): void {
    this.asked.push(question);
  }

  terminate(): void {
    this.isGone = true;
  }

  say(data: Answer): void {
    this.onmessage?.(new MessageEvent('message', { data }));
  }

  fail(message: string): void {
    this.onerror?.({ message } as ErrorEvent);
  }
}
