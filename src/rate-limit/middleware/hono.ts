import type { IncomingMessage } from 'node:http';
import type { RateLimits } from '../rate-limits.js';
import { hostIn, type RequestView } from '../rules/request-view.js';

/** What of Hono's context is needed; described here so that the package's types do not need Hono's. */
interface Context {
  readonly req: { readonly method: string; readonly url: string; header(name: string): string | undefined };
  readonly env: unknown;
  header(name: string, value: string): void;
}

/** A middleware for Hono on Node: `app.use(limitHono(limits))`. */
export function limitHono(
  limits: RateLimits,
): (context: Context, next: () => Promise<void>) => Promise<Response | undefined> {
  return async (context, next) => {
    const verdict = await limits.judge(viewOfContext(context));
    if (verdict === undefined) return new Response(null, { status: 500 });
    if (verdict.answer !== undefined) {
      const { status, headers, body } = verdict.answer;
      return new Response(context.req.method === 'HEAD' ? null : body, { status, headers: pairs(headers) });
    }
    await next();
    for (const [name, value] of pairs(verdict.headers)) context.header(name, value);
    return undefined;
  };
}

function viewOfContext({ req, env }: Context): RequestView {
  // Set by Hono's Node server.
  const { incoming } = (env ?? {}) as { incoming?: IncomingMessage };
  return {
    method: req.method,
    url: incoming?.url ?? req.url.replace(/^[a-z]+:\/\/[^/]*/i, ''),
    address: incoming?.socket?.remoteAddress,
    header: (name) => req.header(name) ?? (name === 'host' ? hostIn(incoming) : undefined),
    incoming,
  };
}

function pairs(flat: readonly string[]): [string, string][] {
  return Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i]!, flat[2 * i + 1]!]);
}
