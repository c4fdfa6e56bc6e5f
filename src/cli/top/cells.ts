import { firstColumns, textWidth } from '../text-width.js';

/** Numbers and names as they stand in cells. */

/** `12`, `3.4`, `1.2k`; `–` when it is not known. */
export function number(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return '∞';
  const size = Math.abs(value);
  if (size >= 999_500) return `${(value / 1e6).toFixed(1)}M`;
  if (size >= 9_999.5) return `${(value / 1e3).toFixed(1)}k`;
  if (size >= 99.95 || Number.isInteger(value)) return value.toFixed(0);
  return value.toFixed(1);
}

export function percent(share: number | undefined): string {
  return share === undefined || !Number.isFinite(share) ? '–' : `${(100 * share).toFixed(0)}%`;
}

/** No longer than there is room for; what is cut off is marked. */
export function cut(text: string, width: number): string {
  return textWidth(text) <= width ? text : `${firstColumns(text, width - 1)}…`;
}

/** How full something is, at a glance. */
export function bar(share: number | undefined, width: number): string {
  if (share === undefined || !Number.isFinite(share)) return '·'.repeat(width);
  const filled = Math.min(width, Math.max(0, Math.round(share * width)));
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}

/** `3d 4h`, `2h 5m`, `4m 3s`, `12s`. */
export function uptime(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const [minutes, hours, days] = [60, 3_600, 86_400].map((unit) => Math.floor(seconds / unit)) as [
    number,
    number,
    number,
  ];
  if (days > 0) return `${days}d ${hours % 24}h`;
  if (hours > 0) return `${hours}h ${minutes % 60}m`;
  return minutes > 0 ? `${minutes}m ${seconds % 60}s` : `${seconds}s`;
}
