import './no-eval.js';
import { answer } from './answer.js';
import type { Answer, Question } from './protocol.js';

/** What a worker has of its own; the types of a page do not know it. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<Question>) => void) | null;
  postMessage(message: Answer): void;
}

const scope = globalThis as unknown as WorkerScope;

scope.onmessage = ({ data }) => {
  answer(data, { tell: (message) => scope.postMessage(message), nowMs: () => performance.now() });
};
