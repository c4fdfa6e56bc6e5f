import { sectionsOf } from '../section-flags.js';

export const RATELIMIT_SECTIONS = ['speed', 'bytes', 'pauses', 'redis', 'leased', 'failures'] as const;
export type RatelimitSection = (typeof RATELIMIT_SECTIONS)[number];

export interface RatelimitOptions {
  readonly only: readonly RatelimitSection[];
}

export const RATELIMIT_HELP = `ratelimit, about five minutes; it alone knows
  --only ${RATELIMIT_SECTIONS.join(',')}`;

/** `--only` is a flag of other benches too. */
export interface RatelimitFlags {
  readonly only?: string | undefined;
}

export function ratelimitOptions(flags: RatelimitFlags): RatelimitOptions {
  return { only: sectionsOf(RATELIMIT_SECTIONS, flags.only) };
}
