import { RejectedError } from '../../core/index.js';
import { ANSWERS } from '../../wire/index.js';

/**
 * What a server answers its own caller when it lets a refusal of the service below pass: *don't retry*, since it was
 * retried here. A guard does so by itself, where it sees the error; a framework that catches errors looks for these:
 * Express and Fastify for a status and headers, Hono for a response. Not enumerable, so that logs stay short.
 */
export function withHttpFace(error: Error): Error {
  if (!(error instanceof RejectedError) || 'statusCode' in error) return error;
  const {
    status,
    headers: flat,
    body,
  } = ANSWERS[error.code === 'PLIMSOLL_DEADLINE' ? 'late' : 'overloaded-no-retry'];
  const headers: Record<string, string> = {};
  // Those of the body are whoever's who writes one.
  for (let i = 0; i < flat.length; i += 2)
    if (!flat[i]!.startsWith('content-')) headers[flat[i]!] = flat[i + 1]!;
  Object.defineProperties(error, {
    status: { value: status },
    statusCode: { value: status },
    headers: { value: headers },
    getResponse: {
      value: () =>
        new Response(body, { status, headers: { ...headers, 'content-type': 'application/problem+json' } }),
    },
  });
  return error;
}
