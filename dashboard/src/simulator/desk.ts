import { makeWorker, type SimulatorWorker } from './make-worker.js';
import type { Answer, Question } from './protocol.js';

/** Reading a hundred kilobytes takes a tenth of this on a phone. */
const MOST_READ_MS = 5_000;

/** Answers small questions, one after the other, in a worker of its own: one that simulates hears nothing meanwhile. */
export class Desk {
  readonly #makeWorker: () => SimulatorWorker;
  #worker: SimulatorWorker | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(make: () => SimulatorWorker = makeWorker) {
    this.#makeWorker = make;
  }

  ask(question: Question): Promise<Answer> {
    const answer = this.#last.then(() => this.#askNow(question));
    this.#last = answer;
    return answer;
  }

  close(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  #askNow(question: Question): Promise<Answer> {
    this.#worker ??= this.#makeWorker();
    const worker = this.#worker;
    return new Promise((resolve) => {
      const giveUp = (text: string) => {
        this.close();
        resolve({ kind: 'failed', text });
      };
      const limit = setTimeout(() => giveUp('this takes too long to read'), MOST_READ_MS);
      worker.onmessage = ({ data }) => {
        clearTimeout(limit);
        resolve(data);
      };
      worker.onerror = ({ message }) => {
        clearTimeout(limit);
        giveUp(message || 'the worker could not be loaded');
      };
      worker.postMessage(question);
    });
  }
}
