import type { Check, Result } from '../../simulator/report/result.js';
import { decimalsFor, formatNumber } from './numbers.js';

/** Whether all that is claimed is so. */
export function holds({ checks }: Pick<Result, 'checks'>): boolean {
  return checks.every((check) => check.holds);
}

/** All on one line: how many hold. */
export function summarize(checks: readonly Pick<Check, 'holds'>[], what = 'check'): string {
  const failed = checks.filter(({ holds }) => !holds).length;
  const all = `${checks.length} ${what}${checks.length === 1 ? '' : 's'}`;
  if (checks.length === 0) return `no ${what}s`;
  if (failed > 0) return `${failed} of ${all} ${failed === 1 ? 'does' : 'do'} not hold`;
  return checks.length === 1 ? `the ${what} holds` : `all ${all} hold`;
}

/** One that fails shows more digits: 1.1000004 above 1.1 must not look like 1.1. */
export function formatCheckValue({ value, holds }: Check): string {
  if (!Number.isFinite(value) || Number.isInteger(value)) return formatNumber(value);
  const text = formatNumber(value, decimalsFor(value, holds ? 4 : 8));
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
