import { parseArgs } from 'node:util';
import { UsageError } from '../usage-error.js';

export const TOP_HELP = `plimsoll top <url> [options]

What a gateway does, live in the terminal: the same snapshot that the dashboard draws. The URL is that of its admin port,
http://127.0.0.1:9901 unless the settings say otherwise.

  --token …      what the admin port asks for, if it has a token; better in PLIMSOLL_ADMIN_TOKEN
  --every 1s     how often it looks, 250ms to 1min
  --once         prints what it sees once, and ends

q or Ctrl-C ends it. When the output is no terminal, each look is printed below the one before.

The exit code is 2 when nothing can be read there.`;

const DEFAULT_EVERY = '1s';
const LEAST_MS = 250;
const MOST_MS = 60_000;

export interface TopArgs {
  /** Of the admin port, without a slash at the end. */
  readonly origin: string;
  readonly token: string | undefined;
  readonly everyMs: number;
  readonly isOnce: boolean;
}

/** Undefined: somebody wants help. */
export function parseTopArgs(
  args: string[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): TopArgs | undefined {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      token: { type: 'string' },
      every: { type: 'string' },
      once: { type: 'boolean' },
    },
  });
  if (values.help) return undefined;
  const [url] = positionals;
  if (url === undefined) throw new UsageError(`top needs the URL of an admin port.\n\n${TOP_HELP}`);
  if (positionals.length > 1) throw new UsageError(`top takes one URL, got ${positionals.join(' and ')}`);
  const { origin, token: inUrl } = readUrl(url);
  const token = values.token ?? inUrl ?? environment['PLIMSOLL_ADMIN_TOKEN'];
  return {
    origin,
    token: token === '' ? undefined : token,
    everyMs: everyOf(values.every ?? DEFAULT_EVERY),
    isOnce: values.once ?? false,
  };
}

/** Also as the demo prints it for browsers, with the token behind a #. */
function readUrl(text: string): { origin: string; token: string | undefined } {
  const whole = /^https?:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(whole)) throw new UsageError('top needs a URL like http://127.0.0.1:9901');
  const { origin, hash } = new URL(whole);
  // No form has written it: a plus is a plus, as in tokens of base64.
  const fragment = new URLSearchParams(hash.slice(1).replaceAll('+', '%2B'));
  return { origin, token: fragment.get('token') ?? undefined };
}

const UNITS_MS: Record<string, number> = { ms: 1, s: 1_000, min: 60_000 };

function everyOf(text: string): number {
  const [, number, unit = ''] = /^(\d{1,5}(?:\.\d{1,3})?)(ms|s|min)$/.exec(text) ?? [];
  const ms = Number(number) * (UNITS_MS[unit] ?? Number.NaN);
  if (ms >= LEAST_MS && ms <= MOST_MS) return ms;
  throw new UsageError(`--every must be a duration from 250ms to 1min, got ${JSON.stringify(text)}`);
}
