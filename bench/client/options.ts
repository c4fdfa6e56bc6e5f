import type { parseArgs } from 'node:util';
import { sectionsOf } from '../section-flags.js';

export const CLIENT_SECTIONS = ['restart', 'kill', 'lame-duck', 'slow', 'overhead'] as const;
export type ClientSection = (typeof CLIENT_SECTIONS)[number];

export interface ClientBenchOptions {
  readonly only: readonly ClientSection[];
  /** Under restarts, over all clients, at least. */
  readonly requests: number;
  /** A second, over all clients. */
  readonly rate: number;
}

export const CLIENT_HELP = `client, about 5 minutes; it alone knows
  --only ${CLIENT_SECTIONS.join(',')}
  --requests 100000           under restarts, at least
  --rate 1000                 a second, under restarts and kills, as far as clients that wait get there`;

/** The flags that only this bench has, as `parseArgs` wants them. */
export const CLIENT_FLAGS = {
  requests: { type: 'string' },
  rate: { type: 'string' },
} as const satisfies NonNullable<Parameters<typeof parseArgs>[0]>['options'];

export type ClientFlags = {
  readonly [flag in 'only' | keyof typeof CLIENT_FLAGS]?: string | undefined;
};

export function clientBenchOptions(flags: ClientFlags): ClientBenchOptions {
  return {
    only: sectionsOf(CLIENT_SECTIONS, flags.only),
    requests: positive('requests', flags.requests ?? '100000'),
    // Two cores are four fifths full with it, a process that is always just starting included: 1.2 ms of CPU for each
    // request on both sides, three of eight by fetch.
    rate: positive('rate', flags.rate ?? '1000'),
  };
}

function positive(flag: string, text: string): number {
  const value = text === '' ? Number.NaN : Number(text);
  if (!(value >= 1 && value < Number.POSITIVE_INFINITY))
    throw new Error(`--${flag} must be at least 1, got "${text}"`);
  return value;
}
