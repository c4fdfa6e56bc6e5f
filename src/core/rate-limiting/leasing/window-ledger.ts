import { elapsedMs } from '../../elapsed.js';
import type { RateOptions } from '../rate-limit-options.js';
import { checkLimit, checkWindowMs, wholeMs, windowBeginMs } from '../whole-numbers.js';
import {
  type LeaseAsk,
  type LeaseGrant,
  type LeaseLedger,
  type LeaseState,
  portion,
} from './lease-ledger.js';

const NOBODY: LeaseState['holders'] = new Map();

/**
 * A fixed window whose units are handed out in blocks that end with it. A holder counts that time from when it asked,
 * which is before it was granted: it is the first to think that the window is over.
 *
 * Bound: `limit` in each window, as without leases.
 */
export class WindowLedger implements LeaseLedger {
  readonly #limit: number;
  readonly #windowMs: number;

  constructor(options: RateOptions) {
    this.#limit = checkLimit(options.limit);
    this.#windowMs = checkWindowMs(options.windowMs);
  }

  grant(state: LeaseState | undefined, now: number, ask: LeaseAsk): { grant: LeaseGrant; state: LeaseState } {
    const ms = wholeMs(now);
    const beginMs = Math.max(state?.ms ?? 0, windowBeginMs(ms, this.#windowMs));
    let count = state?.ms === beginMs ? state.amount : 0;
    // What comes back after its window is over is nobody's.
    if (ask.epochMs === beginMs) count = Math.max(0, count - ask.returns);
    const available = this.#limit - count;
    const granted = portion(available, ask);
    count += granted;
    const leftMs = elapsedMs(ms, beginMs + this.#windowMs);
    const grant = {
      granted,
      validMs: leftMs,
      epochMs: beginMs,
      remaining: available - granted,
      retryAfterMs: granted > 0 || ask.wants === 0 ? 0 : leftMs,
      resetMs: count === 0 ? 0 : leftMs,
    };
    return { grant, state: { amount: count, ms: beginMs, holders: NOBODY } };
  }
}
