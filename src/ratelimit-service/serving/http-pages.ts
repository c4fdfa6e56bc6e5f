import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { RequestError } from '../deciding/asked.js';
import { type LimitDecider, StoreUnavailable } from '../deciding/limit-decider.js';
import { limitRequestOfJson, limitResponseAsJson } from '../messages/json-messages.js';
import { CODES } from '../messages/limit-response.js';
import type { Health } from './health.js';

/** As large as a call of gRPC may be. */
const MOST_BYTES = 65_536;

/** `/json` and `/healthcheck`, for who does not speak gRPC. */
export function httpPages(decider: LimitDecider, health: Health, onError: (error: unknown) => void): Server {
  const server = createServer((req, res) => {
    const path = (req.url ?? '/').split('?')[0];
    if (path === '/healthcheck') {
      req.resume();
      answer(res, health.isServing ? 200 : 500, health.isServing ? 'OK' : '');
      return;
    }
    if (path === '/json') {
      answerJson(decider, req, res).catch(onError);
      return;
    }
    req.resume();
    answer(res, 404, 'there are /json and /healthcheck\n');
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 10_000;
  return server;
}

/** What is loaded, and what was hit, as text; for the port that is not for everybody. */
export function debugPages(decider: LimitDecider): Server {
  return createServer((req, res) => {
    req.resume();
    const path = (req.url ?? '/').split('?')[0];
    if (path === '/rlconfig')
      answer(res, 200, lines([...decider.rules.values()].flatMap((tree) => tree.describe())));
    else if (path === '/stats') answer(res, 200, lines(statLines(decider)));
    else answer(res, 404, 'there are /rlconfig and /stats\n');
  });
}

function statLines({ stats, calls, shadowed }: LimitDecider): string[] {
  const name = 'ratelimit.service';
  return [
    ...stats
      .snapshot()
      .flatMap(({ label, total, near, over, shadow, undecided }) => [
        `${name}.rate_limit.${label}.total_hits: ${total}`,
        `${name}.rate_limit.${label}.near_limit: ${near}`,
        `${name}.rate_limit.${label}.over_limit: ${over}`,
        `${name}.rate_limit.${label}.shadow_mode: ${shadow}`,
        `${name}.rate_limit.${label}.undecided: ${undecided}`,
      ]),
    `${name}.global_shadow_mode: ${shadowed}`,
    `${name}.store.failed: ${calls.failed}`,
    `${name}.store.late: ${calls.late}`,
  ];
}

function lines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join('');
}

async function answerJson(decider: LimitDecider, req: IncomingMessage, res: ServerResponse): Promise<void> {
  let body: string | undefined;
  try {
    body = await readBody(req);
  } catch {
    // Who is gone before all of it was there needs no answer.
    return;
  }
  if (body === undefined) {
    answer(res.setHeader('connection', 'close'), 413, 'the request is too large\n');
    return;
  }
  try {
    const response = await decider.decide(limitRequestOfJson(JSON.parse(body)));
    const status = response.code === CODES.overLimit ? 429 : 200;
    res.setHeader('content-type', 'application/json');
    answer(res, status, limitResponseAsJson(response));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RequestError || error instanceof RangeError)
      answer(res, 400, `${error.message}\n`);
    else if (error instanceof StoreUnavailable) answer(res, 500, `${error.message}\n`);
    else {
      answer(res, 500, 'the decision failed\n');
      throw error;
    }
  }
}

/** Undefined when it is too large. */
async function readBody(req: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MOST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function answer(res: ServerResponse, status: number, body: string): void {
  if (res.destroyed) return;
  res.statusCode = status;
  if (!res.hasHeader('content-type')) res.setHeader('content-type', 'text/plain; charset=utf-8');
  res.setHeader('content-length', Buffer.byteLength(body));
  res.end(body);
}
