import { elapsedMs } from '../../elapsed.js';
import type { RateOptions } from '../rate-limit-options.js';
import { type RateScale, rateScale } from '../rate-scale.js';
import { wholeMs } from '../whole-numbers.js';
import {
  type Holding,
  type LeaseAsk,
  type LeaseGrant,
  type LeaseLedger,
  type LeaseState,
  portion,
} from './lease-ledger.js';

/**
 * How long units of a bucket are held at the most. It is how long those of a process that died keep the bucket from
 * filling, and how long a process may be busy without losing its own.
 */
export const MOST_HELD_MS = 1_000;

/**
 * A token bucket whose tokens are handed out in blocks, and gcra, which decides alike. Its level leaks as of any bucket,
 * but never below what is outstanding: refill stops at burst − outstanding. Otherwise the bucket would be full again
 * while somebody still has a block, and block and burst together could pass at one instant.
 *
 * Bound: with V = level − what is really outstanding, each use adds to V what it takes, V leaks at most at the rate, and
 * 0 ≤ V ≤ capacity. So from s to s + w at most burst + w × limit / windowMs are used, as of a bucket without leases.
 */
export class BucketLedger implements LeaseLedger {
  readonly #scale: RateScale;
  readonly #validMs: number;

  constructor(options: RateOptions) {
    this.#scale = rateScale(options);
    this.#validMs = Math.min(options.windowMs, MOST_HELD_MS);
  }

  grant(state: LeaseState | undefined, now: number, ask: LeaseAsk): { grant: LeaseGrant; state: LeaseState } {
    const { perMs, unit, capacity } = this.#scale;
    const ms = Math.max(state?.ms ?? 0, wholeMs(now));
    const outstanding = total(state?.holders);
    const leaked = elapsedMs(state?.ms ?? ms, ms) * perMs;
    let level = Math.max((state?.amount ?? 0) - leaked, outstanding * unit);
    const holders = alive(state?.holders, ms);
    const held = holders.get(ask.holder);
    const returned = Math.min(ask.returns, held?.units ?? 0);
    level -= returned * unit;
    const available = Math.floor((capacity - level) / unit);
    const granted = portion(available, ask);
    level += granted * unit;
    hold(holders, ask, unitsKept(held, ask, returned) + granted, ms + this.#validMs);
    const missing = Math.max(0, level + Math.max(1, ask.needs) * unit - capacity);
    const grant = {
      granted,
      validMs: this.#validMs,
      epochMs: 0,
      remaining: available - granted,
      retryAfterMs: granted > 0 || ask.wants === 0 ? 0 : Math.ceil(missing / perMs),
      resetMs: Math.ceil(level / perMs),
    };
    return { grant, state: { amount: level, ms, holders } };
  }
}

function total(holders: ReadonlyMap<string, Holding> | undefined): number {
  let sum = 0;
  for (const { units } of holders?.values() ?? []) sum += units;
  return sum;
}

/** Who may still use what they have. What others had is spent: it stays in the level, and leaks from now on. */
function alive(holders: ReadonlyMap<string, Holding> | undefined, ms: number): Map<string, Holding> {
  return new Map([...(holders ?? [])].filter(([, { untilMs }]) => ms < untilMs));
}

/** An ask that was overtaken by a later one of its holder says nothing of what is held now. */
function unitsKept(held: Holding | undefined, ask: LeaseAsk, returned: number): number {
  if (held === undefined) return 0;
  const left = held.units - returned;
  return ask.turn > held.turn ? Math.min(left, ask.holds) : left;
}

function hold(holders: Map<string, Holding>, ask: LeaseAsk, units: number, untilMs: number): void {
  const turn = Math.max(ask.turn, holders.get(ask.holder)?.turn ?? 0);
  if (units > 0) holders.set(ask.holder, { units, untilMs, turn });
  else holders.delete(ask.holder);
}
