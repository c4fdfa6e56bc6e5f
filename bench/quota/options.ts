import { sectionsOf } from '../section-flags.js';

export const QUOTA_SECTIONS = ['backend', 'coordinator', 'redis', 'fleet'] as const;
export type QuotaSection = (typeof QUOTA_SECTIONS)[number];

export interface QuotaOptions {
  readonly only: readonly QuotaSection[];
}

export const QUOTA_HELP = `quota, about four minutes; it alone knows
  --only ${QUOTA_SECTIONS.join(',')}`;

/** `--only` is a flag of other benches too. */
export interface QuotaFlags {
  readonly only?: string | undefined;
}

export function quotaOptions(flags: QuotaFlags): QuotaOptions {
  return { only: sectionsOf(QUOTA_SECTIONS, flags.only) };
}
