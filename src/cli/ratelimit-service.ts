import { readFile } from 'node:fs/promises';
import type { TlsOptions } from 'node:tls';
import { SettingsError } from '../config/index.js';
import { readRules, startRateLimitService } from '../ratelimit-service/index.js';
import { onSignals } from '../server/lifecycle/signals.js';
import { redisStore } from '../stores/redis/connect-redis-store.js';
import {
  parseRatelimitServiceArgs,
  RATELIMIT_SERVICE_HELP,
  type RatelimitServiceArgs,
} from './ratelimit-service-args.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

/** What keys of the service begin with in Redis: other limiters there are others. */
const PREFIX = 'plimsoll:rls:';

/** Returns the exit code; of a service that runs, never. */
export async function ratelimitService(args: string[], terminal: Terminal): Promise<number> {
  const given = parseRatelimitServiceArgs(args, process.env);
  if (given === undefined) {
    terminal.print(RATELIMIT_SERVICE_HELP);
    return 0;
  }
  try {
    if (given.action === 'check') {
      terminal.print(await readRules(given.paths, given.mergeDomains));
      return 0;
    }
    return await run(given, terminal);
  } catch (error) {
    throw isExpected(error) ? new UsageError(error.message) : error;
  }
}

async function run(given: RatelimitServiceArgs, terminal: Terminal): Promise<number> {
  const { action: _, redis, redisPrefix = PREFIX, tls, ...options } = given;
  const store = redis === undefined ? undefined : await redisStore({ url: redis, prefix: redisPrefix });
  try {
    const service = await startRateLimitService({
      ...options,
      store,
      tls: tls && (await tlsOf(tls)),
      onRules: (words) => terminal.note(`rules hold: ${words}`),
      onProblem: ({ message }) => terminal.note(`${message}\nwhat held before holds on`),
    });
    const { grpc, http, debug } = service.ports;
    terminal.note(`plimsoll ratelimit-service listens on grpc://${given.host ?? '127.0.0.1'}:${grpc}`);
    if (http !== undefined) terminal.note(`/json and /healthcheck are on port ${http}`);
    if (debug !== undefined) terminal.note(`/rlconfig and /stats are on port ${debug}`);
    process.on('SIGHUP', () => void service.reload());
    onSignals(async () => {
      await service.close();
      await store?.close();
    });
  } catch (error) {
    await store?.close();
    throw error;
  }
  return await new Promise<never>(() => {});
}

async function tlsOf({ cert, key, ca }: NonNullable<RatelimitServiceArgs['tls']>): Promise<TlsOptions> {
  const own = { cert: await readFile(cert), key: await readFile(key) };
  if (ca === undefined) return own;
  return { ...own, ca: await readFile(ca), requestCert: true, rejectUnauthorized: true };
}

/** What people can mend: it is said in a line, without a stack. */
function isExpected(error: unknown): error is Error {
  if (error instanceof SettingsError || error instanceof RangeError) return true;
  if (!(error instanceof Error)) return false;
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  return (
    ['EADDRINUSE', 'EACCES', 'ENOENT', 'EADDRNOTAVAIL'].includes(String(code)) ||
    cause?.code === 'ERR_MODULE_NOT_FOUND'
  );
}
