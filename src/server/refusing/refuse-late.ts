import type { ServerResponse } from 'node:http';
import { ANSWERS, type AnswerName } from '../../wire/index.js';

/** Refuses by Node's own means a request that has become one. What remains of its body Node reads and forgets. */
export function refuseLate(response: ServerResponse, name: AnswerName, isCloseNeeded: boolean): void {
  if (response.headersSent || response.writableEnded) return;
  const { status, headers, body } = ANSWERS[name];
  const all = isCloseNeeded ? [...headers, 'connection', 'close'] : (headers as string[]);
  // A flat list is checked less than an object: 2 µs.
  response.writeHead(status, all as unknown as string[]);
  response.end(body);
}
