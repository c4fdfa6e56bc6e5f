import { sectionsOf, wholeNumberOf } from '../section-flags.js';

export const GATEWAY_SECTIONS = ['isolation', 'closed-loop', 'pages', 'soak'] as const;
export type GatewaySection = (typeof GATEWAY_SECTIONS)[number];

export interface GatewayOptions {
  readonly only: readonly GatewaySection[];
  /** Rounds of which the median counts. */
  readonly runs: number;
  /** Of each round. */
  readonly seconds: number;
  /** How long the soak goes on. */
  readonly soakSeconds: number;
}

export const GATEWAY_HELP = `gateway, about seventeen minutes; it alone knows
  --only ${GATEWAY_SECTIONS.join(',')}
  --runs 5                    rounds of which the median counts
  --seconds 6                 of each round
  --for 60m                   how long the soak goes on: s, m or h; a minute when nothing is said`;

export const GATEWAY_FLAGS = { for: { type: 'string' } } as const;

/** Most of its flags are flags of other benches too. */
export interface GatewayFlags {
  readonly only?: string | undefined;
  readonly runs?: string | undefined;
  readonly seconds?: string | undefined;
  readonly for?: string | undefined;
}

export function gatewayOptions(flags: GatewayFlags): GatewayOptions {
  return {
    only: sectionsOf(GATEWAY_SECTIONS, flags.only),
    runs: wholeNumberOf('runs', flags.runs ?? '5'),
    seconds: wholeNumberOf('seconds', flags.seconds ?? '6'),
    soakSeconds: secondsOf(flags.for ?? '1m'),
  };
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };

function secondsOf(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  if (count === undefined || Number(count) === 0)
    throw new Error(`--for must be a time like 90s, 60m or 2h, got "${text}"`);
  return Number(count) * UNITS[unit!]!;
}
