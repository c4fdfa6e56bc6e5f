import { parseArgs } from 'node:util';
import { nearestWord } from '../config/index.js';
import { POLICY_NAMES, type PolicyName } from '../core/picking/index.js';
import { SEED_IN_WORDS, seedOf } from '../simulations/seed.js';
import { UsageError } from './usage-error.js';

export const SIMULATE_HELP = `plimsoll simulate <scenario> [options]     one of the built-in scenarios
plimsoll simulate <fleet.yaml> [options]   a fleet of your own
plimsoll simulate --list                   the built-in scenarios, and what they claim
plimsoll simulate --all                    every built-in scenario, a line each

Runs the decision code that ships on a virtual clock, and checks what is claimed of it.

  --seed N           another draw (default 0); the same seed gives the same output
  --policy a,b,c     compare these policies: ${POLICY_NAMES.join(', ')}
  --json             one object: { scenario, seed, options, rows, checks }; with --all a list of them
  --svg out.svg      write the figures to a file

The exit code is 1 when a check does not hold, 2 when the command or a file is wrong.`;

export type SimulateRequest =
  | { readonly kind: 'help' }
  | { readonly kind: 'list' }
  | { readonly kind: 'all'; readonly seed: number; readonly isJson: boolean }
  | OneRequest;

export interface OneRequest {
  readonly kind: 'one';
  /** A built-in scenario, or a file. */
  readonly subject: string;
  readonly seed: number;
  readonly isJson: boolean;
  readonly policies: readonly PolicyName[] | undefined;
  /** Where figures go. */
  readonly svg: string | undefined;
}

/** What is asked for; undefined as subject is for the caller to complain about, who knows what there is. */
export function parseSimulateArgs(args: string[]): SimulateRequest | undefined {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      all: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
      json: { type: 'boolean' },
      list: { type: 'boolean' },
      policy: { type: 'string' },
      seed: { type: 'string' },
      svg: { type: 'string' },
    },
  });
  if (values.help) return { kind: 'help' };
  if (values.list) return { kind: 'list' };
  const seed = parseSeed(values.seed);
  const policies = values.policy === undefined ? undefined : parsePolicies(values.policy);
  const { svg, json: isJson = false } = values;
  if (svg === '') throw new UsageError('--svg needs the name of a file');
  if (values.all) {
    const [other] = [...positionals, ...(policies ? ['--policy'] : []), ...(svg ? ['--svg'] : [])];
    if (other !== undefined) throw new UsageError(`--all runs all scenarios as they are, without ${other}`);
    return { kind: 'all', seed, isJson };
  }
  const [subject] = positionals;
  if (subject === undefined) return undefined;
  if (positionals.length > 1)
    throw new UsageError(`simulate takes one scenario, got ${positionals.join(' and ')}`);
  return { kind: 'one', subject, seed, isJson, policies, svg };
}

function parseSeed(text = '0'): number {
  const seed = seedOf(text);
  if (seed === undefined) throw new UsageError(`--seed takes ${SEED_IN_WORDS}, got "${text}"`);
  return seed;
}

function parsePolicies(text: string): PolicyName[] {
  const names = text.split(',').map((name) => name.trim());
  return names.map((name, at) => {
    const policy = POLICY_NAMES.find((known) => known === name);
    if (policy === undefined) throw new UsageError(noPolicy(name));
    if (names.indexOf(name) !== at) throw new UsageError(`--policy names ${name} twice`);
    return policy;
  });
}

function noPolicy(name: string): string {
  const nearest = nearestWord(name, POLICY_NAMES);
  const hint = nearest === undefined ? `there are ${POLICY_NAMES.join(', ')}` : `did you mean ${nearest}?`;
  return `there is no policy "${name}", ${hint}`;
}
