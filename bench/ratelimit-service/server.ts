// A server in a process of its own: the service, or node:http with the same limit.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRateLimits, redisStore } from 'plimsoll/rate-limit';
import { startRateLimitService } from 'plimsoll/ratelimit-service';
import { answerQuestions } from '../overload/questions.js';

export interface ServerPlan {
  readonly kind: 'grpc' | 'http';
  /** Undefined: in memory. */
  readonly redis: string | undefined;
}

const LIMIT = 4_000_000_000;

/** More than a bench asks for in a minute: each is a decision that allows. */
const RULES = `domain: bench
descriptors:
  - { key: user, rate_limit: { unit: minute, requests_per_unit: ${LIMIT} } }
`;

/** Long enough for a machine that does something else: a decision without the store would be cheaper than one with it. */
const TIMEOUT_MS = 5_000;

async function listen({ kind, redis }: ServerPlan): Promise<number> {
  const store = redis === undefined ? undefined : await redisStore({ url: redis, prefix: `bench:${kind}:` });
  if (kind === 'grpc') {
    const path = join(mkdtempSync(join(tmpdir(), 'plimsoll-bench-')), 'rules.yaml');
    writeFileSync(path, RULES);
    const options = { paths: [path], grpcPort: 0, httpPort: false, store, timeoutMs: TIMEOUT_MS } as const;
    return (await startRateLimitService(options)).ports.grpc;
  }
  const rule = {
    name: 'user',
    algorithm: 'fixed-window',
    limit: LIMIT,
    window: 'minute',
    key: 'header:x-user',
  } as const;
  const limits = createRateLimits({ rules: [rule], store, timeoutMs: TIMEOUT_MS });
  const server = createServer(
    limits.wrap((_, res) => {
      res.writeHead(200, { 'content-type': 'text/plain', 'content-length': '2' }).end('ok');
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

answerQuestions({ listen });
