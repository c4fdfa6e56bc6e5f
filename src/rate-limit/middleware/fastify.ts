import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { RateLimits } from '../rate-limits.js';
import { viewOf } from '../rules/request-view.js';

/** What of Fastify's reply is needed; described here so that the package's types do not need Fastify's. */
interface Reply {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  send(payload?: unknown): unknown;
}

/** A hook for Fastify: `app.addHook('onRequest', limitFastify(limits))`. Bodies of refused requests are not parsed. */
export function limitFastify(
  limits: RateLimits,
): (request: { readonly raw: IncomingMessage }, reply: Reply) => Promise<unknown> {
  return async (request, reply) => {
    const verdict = await limits.judge(viewOf(request.raw));
    if (verdict === undefined) {
      reply.code(500);
      return reply.send();
    }
    const headers = verdict.answer?.headers ?? verdict.headers;
    for (let i = 0; i < headers.length; i += 2) reply.header(headers[i]!, headers[i + 1]!);
    if (verdict.answer === undefined) return undefined;
    reply.code(verdict.answer.status);
    // Of a text Fastify would add the charset, which JSON has not.
    return reply.send(Buffer.from(verdict.answer.body));
  };
}
