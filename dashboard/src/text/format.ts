/** Numbers for people. What is not known is a dash, so that a column stays a column. */
export const NONE = '–';

type Known = number | undefined | null;

function isKnown(value: Known): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Three figures, and a letter for thousands. */
export function count(value: Known): string {
  if (!isKnown(value)) return NONE;
  const size = Math.abs(value);
  if (size >= 999_500_000) return `${figures(value / 1e9)}G`;
  if (size >= 999_500) return `${figures(value / 1e6)}M`;
  if (size >= 9_995) return `${figures(value / 1e3)}k`;
  return size >= 99.5 || Number.isInteger(value) ? String(Math.round(value)) : figures(value);
}

export function perSecond(value: Known): string {
  return isKnown(value) ? `${count(value)}/s` : NONE;
}

export function percent(share: Known): string {
  if (!isKnown(share)) return NONE;
  const value = 100 * share;
  return `${value !== 0 && Math.abs(value) < 9.95 ? value.toFixed(1) : Math.round(value)} %`;
}

/** A utilization against its target, or a ratio. */
export function ratio(value: Known): string {
  return isKnown(value) ? value.toFixed(2) : NONE;
}

export function duration(ms: Known): string {
  if (!isKnown(ms)) return NONE;
  if (ms >= 86_400_000) return `${figures(ms / 86_400_000)} d`;
  if (ms >= 3_600_000) return `${figures(ms / 3_600_000)} h`;
  if (ms >= 120_000) return `${figures(ms / 60_000)} min`;
  if (ms >= 1_000) return `${figures(ms / 1_000)} s`;
  return `${figures(ms)} ms`;
}

export function bytes(value: Known): string {
  if (!isKnown(value)) return NONE;
  if (value >= 1e9) return `${figures(value / 1e9)} GB`;
  if (value >= 1e6) return `${figures(value / 1e6)} MB`;
  return `${figures(value / 1e3)} kB`;
}

/** As a clock on the wall shows it, to the second. */
export function timeOfDay(atMs: number): string {
  const date = new Date(atMs);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

function figures(value: number): string {
  const size = Math.abs(value);
  if (size >= 99.5) return String(Math.round(value));
  if (size >= 9.95) return value.toFixed(size % 1 === 0 ? 0 : 1).replace(/\.0$/, '');
  return value.toFixed(size >= 0.995 || size === 0 ? 1 : 2).replace(/\.0$/, '');
}
