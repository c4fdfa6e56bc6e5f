import { ANSWERS, type AnswerName } from '../../wire/index.js';
import type { GuardedRequest } from '../guarded-request.js';
import { endWithLines } from '../intake/guarded-response.js';

/** Refuses by Node's own means a request that has become one. What remains of its body Node reads and forgets. */
export function refuseLate(request: GuardedRequest, name: AnswerName, isCloseNeeded: boolean): void {
  const { res, connection, method } = request;
  if (res === undefined || res.headersSent || res.writableEnded) return;
  // Others came behind it, so its body has been read, and they are owed their answers.
  const isClosing = isCloseNeeded && connection.isLast(request);
  if (isClosing) connection.lingerAtEnd();
  const { status, headers, body } = ANSWERS[name];
  // To HEAD Node would not say how long the body is that it does not send.
  if (method !== 'HEAD' && endWithLines(res, status, LINES[name], body, isClosing)) return;
  const all = isClosing ? [...headers, 'connection', 'close'] : (headers as string[]);
  // A flat list is checked less than an object: 2 µs.
  res.writeHead(status, all as unknown as string[]);
  res.end(body);
}

/** As text, but for the length, which Node adds. */
const LINES = Object.fromEntries(
  Object.entries(ANSWERS).map(([name, { headers }]) => [name, linesOf(headers)]),
) as Readonly<Record<AnswerName, string>>;

function linesOf(headers: readonly string[]): string {
  let lines = '';
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i] !== 'content-length') lines += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return lines;
}
