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
  return { only: (flags.only?.split(',') ?? [...RATELIMIT_SECTIONS]).map(sectionOf) };
}

function sectionOf(name: string): RatelimitSection {
  const found = RATELIMIT_SECTIONS.find((section) => section === name);
  if (found === undefined) throw new Error(`--only knows ${RATELIMIT_SECTIONS.join(', ')}, not "${name}"`);
  return found;
}
