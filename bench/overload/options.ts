import type { parseArgs } from 'node:util';
import type { Share, Spacing } from './load/arrivals.js';

export const SECTIONS = ['sync', 'async', 'dependency', 'hello', 'refusal', 'burst', 'peers'] as const;
export type Section = (typeof SECTIONS)[number];

/**
 * Of each flood, told apart: cold code runs at half its speed in the first seconds. At 400 requests a second it takes a
 * while until it is compiled, the more so as the compiler has to share the core.
 */
export const WARM_UP_SECONDS = 6;

export interface OverloadOptions {
  readonly only: readonly Section[];
  readonly runs: number;
  readonly seconds: number;
  readonly spacing: Spacing;
  readonly mix: readonly Share[];
  /** Instead of the sections: 10× for that long, and what happens to memory. */
  readonly soakSeconds: number | undefined;
}

export const OVERLOAD_HELP = `overload, about 12 minutes; it alone knows
  --only ${SECTIONS.join(',')}
  --runs 3                    runs of which the median counts
  --seconds 12                of each flood, the first ${WARM_UP_SECONDS} of which are told apart
  --arrivals poisson|even
  --mix CRITICAL_PLUS=0.05    shares of criticalities; the rest is CRITICAL
  --soak 10m                  instead of all that: 10× for so long, and what happens to memory`;

/** The flags of this bench, as `parseArgs` wants them. */
export const OVERLOAD_FLAGS = {
  only: { type: 'string' },
  runs: { type: 'string' },
  seconds: { type: 'string' },
  arrivals: { type: 'string' },
  mix: { type: 'string' },
  soak: { type: 'string' },
} as const satisfies NonNullable<Parameters<typeof parseArgs>[0]>['options'];

export type OverloadFlags = { readonly [flag in keyof typeof OVERLOAD_FLAGS]?: string | undefined };

export function overloadOptions(flags: OverloadFlags): OverloadOptions {
  return {
    only: (flags.only?.split(',') ?? [...SECTIONS]).map((name) => oneOf('only', name, SECTIONS)),
    runs: numberOf('runs', flags.runs ?? '3', 1),
    // At least some of it has to be left to be measured.
    seconds: numberOf('seconds', flags.seconds ?? '12', WARM_UP_SECONDS + 1),
    spacing: oneOf('arrivals', flags.arrivals ?? 'poisson', ['poisson', 'even']),
    mix: mixOf(flags.mix ?? 'CRITICAL_PLUS=0.05'),
    soakSeconds: flags.soak === undefined ? undefined : secondsOf(flags.soak),
  };
}

function oneOf<T extends string>(flag: string, value: string, known: readonly T[]): T {
  const found = known.find((name) => name === value);
  if (found === undefined) throw new Error(`--${flag} knows ${known.join(', ')}, not "${value}"`);
  return found;
}

function numberOf(flag: string, text: string, least: number): number {
  const value = text === '' ? Number.NaN : Number(text);
  if (!(value >= least)) throw new Error(`--${flag} must be at least ${least}, got "${text}"`);
  return value;
}

function mixOf(text: string): Share[] {
  const mix = text.split(',').map((part) => {
    const [criticality = '', share = ''] = part.split('=');
    return { criticality, share: numberOf('mix', share, 0) };
  });
  if (mix.reduce((sum, { share }) => sum + share, 0) > 1) throw new Error(`--mix "${text}" is more than all`);
  return mix;
}

function secondsOf(text: string): number {
  const [, count = '', unit = ''] = /^(\d+)([sm])$/.exec(text) ?? [];
  if (count === '') throw new Error(`--soak takes a time as 90s or 10m, got "${text}"`);
  return Number(count) * (unit === 'm' ? 60 : 1);
}
