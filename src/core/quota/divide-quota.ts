import { checkNonNegative } from '../check.js';
import { allocate } from './allocation.js';

/**
 * What each backend may let a customer use, of what it may use at all of them together (SRE ch. 21, "Per-Customer
 * Limits": effective limits that follow from usage everywhere). Each gets what is asked for there, max-min fair when
 * that is too much: where nobody asks, no quota lies idle. What is left over is divided equally, so that a customer
 * that turns to another backend is not refused there before the next division.
 */
export function divideQuota(perSecond: number, demandsPerSecond: readonly number[]): number[] {
  checkNonNegative('perSecond', perSecond);
  const granted = allocate(
    'fair',
    perSecond,
    demandsPerSecond.map((wants) => ({ wants })),
  );
  const left = Math.max(0, perSecond - granted.reduce((sum, grant) => sum + grant, 0));
  return granted.map((grant) => grant + left / demandsPerSecond.length);
}
