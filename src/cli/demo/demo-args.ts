import { parseArgs } from 'node:util';
import { UsageError } from '../usage-error.js';
import { LOAD_RANGE } from './control/load-range.js';
import { REDIS_VARIABLE, redisUrlOf } from './redis-url.js';

export const DEMO_HELP = `plimsoll demo [options]

A small fleet on this machine, and a page on which one sees it bend and not break: six backends of different speed that do
real work, a gateway, three customers, and clients that keep asking whatever becomes of their requests.

  --load 3       so many times what the fleet can serve, ${LOAD_RANGE.min} to ${LOAD_RANGE.max} (default ${LOAD_RANGE.initial})
  --for 20s      ends by itself after so long under load, with a summary; else Ctrl-C ends it
  --json         the summary as one object
  --port 9901    where the page is; 0: any port that is free
  --redis URL    limits and quotas count in this Redis, or in that of ${REDIS_VARIABLE}, where a password belongs; else in memory
  --open         opens the page in a browser

What is seen, and what to try, is in docs/demo.md. The exit code is 2 when the demo cannot start.`;

/** As the gateway's admin port, which it is. */
const DEFAULT_PORT = 9901;
const LEAST_MS = 1_000;
const MOST_MS = 86_400_000;

export interface DemoArgs {
  readonly load: number;
  /** Undefined: until it is told to end. */
  readonly forMs: number | undefined;
  readonly isJson: boolean;
  readonly port: number;
  readonly redis: string | undefined;
  readonly opens: boolean;
}

/** Undefined: somebody wants help. */
export function parseDemoArgs(
  args: string[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): DemoArgs | undefined {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      load: { type: 'string' },
      for: { type: 'string' },
      json: { type: 'boolean' },
      port: { type: 'string' },
      redis: { type: 'string' },
      open: { type: 'boolean' },
    },
  });
  if (values.help) return undefined;
  if (positionals.length > 0) throw new UsageError(`demo takes options alone, got ${positionals.join(' ')}`);
  const { json: isJson = false, open: opens = false } = values;
  const forMs = values.for === undefined ? undefined : durationOf(values.for);
  if (isJson && forMs === undefined) throw new UsageError('--json is for the summary: it needs --for 20s');
  return {
    load: loadOf(values.load),
    forMs,
    isJson,
    port: portOf(values.port),
    redis: redisUrlOf(values.redis, environment),
    opens,
  };
}

function loadOf(text: string | undefined): number {
  if (text === undefined) return LOAD_RANGE.initial;
  const load = Number(text);
  const isNumber = /^\d{1,2}(\.\d{1,3})?$/.test(text);
  if (isNumber && load >= LOAD_RANGE.min && load <= LOAD_RANGE.max) return load;
  throw new UsageError(
    `--load must be a number from ${LOAD_RANGE.min} to ${LOAD_RANGE.max}, got ${JSON.stringify(text)}`,
  );
}

const UNITS_MS: Record<string, number> = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000 };

function durationOf(text: string): number {
  const [, number, unit = ''] = /^(\d{1,6}(?:\.\d{1,3})?)(ms|s|min|h)$/.exec(text) ?? [];
  const ms = Number(number) * (UNITS_MS[unit] ?? Number.NaN);
  if (ms >= LEAST_MS && ms <= MOST_MS) return ms;
  throw new UsageError(`--for must be a duration from 1s to 24h, like 20s, got ${JSON.stringify(text)}`);
}

function portOf(text = String(DEFAULT_PORT)): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port must be a whole number from 0 to 65535, got ${JSON.stringify(text)}`);
}
