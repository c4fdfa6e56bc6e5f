import { ANSWERS, type AnswerName } from '../../wire/index.js';
import type { GuardedRequest } from '../guarded-request.js';

/** Refuses by Node's own means a request that has become one. What remains of its body Node reads and forgets. */
export function refuseLate(request: GuardedRequest, name: AnswerName, isCloseNeeded: boolean): void {
  const { res, connection } = request;
  if (res === undefined || res.headersSent || res.writableEnded) return;
  // Others came behind it, so its body has been read, and they are owed their answers.
  const isClosing = isCloseNeeded && connection.last === request;
  if (isClosing) connection.lingerAtEnd();
  const { status, headers, body } = ANSWERS[name];
  const all = isClosing ? [...headers, 'connection', 'close'] : (headers as string[]);
  // A flat list is checked less than an object: 2 µs.
  res.writeHead(status, all as unknown as string[]);
  res.end(body);
}
