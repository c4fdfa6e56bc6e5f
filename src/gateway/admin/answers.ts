import type { IncomingMessage, ServerResponse } from 'node:http';

export interface AdminAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** RFC 9457. `detail` is for people: it says what to do. */
export function problem(
  status: number,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): AdminAnswer {
  const body = `${JSON.stringify({ title: TITLES[status] ?? 'Error', status, detail })}\n`;
  return { status, type: 'application/problem+json', body, headers };
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  413: 'Content too large',
  422: 'Refused',
  500: 'Failed',
  503: 'Unavailable',
};

export function json(value: unknown, status = 200): AdminAnswer {
  return { status, type: 'application/json', body: `${JSON.stringify(value)}\n` };
}

export function text(body: string, status = 200): AdminAnswer {
  return { status, type: 'text/plain; charset=utf-8', body };
}

/** What is said with every answer: it holds for this instant, and is nothing for a browser to guess at. */
export const ALWAYS: Readonly<Record<string, string>> = Object.freeze({
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
});

export function send(req: IncomingMessage, res: ServerResponse, answer: AdminAnswer): void {
  if (res.headersSent || res.destroyed) return;
  const { status, type, body, headers } = answer;
  // A body that nobody has asked for is not waited for.
  const close = req.complete || !hasBody(req) ? {} : { connection: 'close' };
  // RFC 9110, 15.4.5: what has not changed is not described again.
  const content = status === 304 ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) };
  res.writeHead(status, { ...ALWAYS, ...headers, ...close, ...content });
  res.end(req.method === 'HEAD' ? undefined : body);
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
