import { perSecond } from './format.js';
import { byName } from './reasons.js';

/** So many reasons are named: the rest is in the chart. */
const MOST = 3;
/** Below this it is nothing to speak of. */
const LEAST_PER_SECOND = 0.5;

/**
 * What a guard says of itself is about load alone. Quotas, limits and backends refuse, too, and whoever reads that nothing is
 * refused beside a number of refusals believes neither.
 */
export function whyNow(guardWhy: string, reasons: Readonly<Record<string, number>> = {}): string {
  const named = Object.entries(byName(reasons))
    .filter(([, rate]) => rate >= LEAST_PER_SECOND)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST)
    .map(([name, rate]) => `${name} ${perSecond(rate)}`);
  const own = `${guardWhy.charAt(0).toUpperCase()}${guardWhy.slice(1)}.`;
  if (named.length === 0) return own;
  const isCalm = guardWhy === 'refuses nothing';
  return `${isCalm ? 'Not overloaded itself.' : own} Refused at present: ${named.join(', ')}.`;
}
