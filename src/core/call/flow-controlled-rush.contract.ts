import { ConcurrencyLimit, ConcurrencyLimiter, GentleLimit } from '../admission/index.js';
import { Roster } from '../health/roster.js';
import { createPicker } from '../picking/create-picker.js';
import { RetryBudget } from '../retrying/index.js';
import { SeededRandom } from '../seeded-random.js';
import { AdaptiveThrottle } from '../throttling/index.js';
import type { Call } from './call.js';
import { Caller } from './caller.js';

const SLOTS = 4;
const SERVICE_MS = 50;
const PER_SECOND = 800;
const RUSH_SECONDS = 300;

/** One backend of four places, sent ten times what it can serve; now and then the caller's whole machine stands still. */
export function limitAfterRush(seed: number, pauseEveryMs: number, pauseMs: number): number {
  const random = new SeededRandom(seed);
  const draw = () => random.next();
  const after = (meanMs: number) => -Math.log(1 - draw()) * meanMs;
  const roster = new Roster({ activeLimit: 100, outliers: false });
  roster.update(['a']);
  roster.mark('a', 'ready', 0);
  const limiter = new ConcurrencyLimiter(new GentleLimit(new ConcurrencyLimit({ initialLimit: 100 })));
  const caller = new Caller({
    service: 's',
    roster,
    picker: createPicker(roster, draw, 'round-robin'),
    throttle: new AdaptiveThrottle(draw),
    budget: new RetryBudget(),
    limiter,
  });
  const freeMs = Array.from({ length: SLOTS }, () => 0);
  const sent: { readonly doneMs: number; readonly call: Call }[] = [];
  const send = (call: Call | undefined, now: number) => {
    if (call?.step !== 'send') return;
    const slot = freeMs.indexOf(Math.min(...freeMs));
    freeMs[slot] = Math.max(freeMs[slot]!, now) + SERVICE_MS;
    // Slots are filled in turn, so they end in turn.
    sent.push({ doneMs: freeMs[slot]!, call });
  };
  let arrivalMs = 0;
  let pauseAtMs = after(pauseEveryMs);
  let pausedUntilMs = 0;
  for (let at = 0; at < RUSH_SECONDS * 1_000; ) {
    const doneMs = sent[0]?.doneMs ?? Number.POSITIVE_INFINITY;
    at = Math.min(doneMs, arrivalMs);
    if (at >= pauseAtMs) {
      pausedUntilMs = at + after(pauseMs);
      pauseAtMs = pausedUntilMs + after(pauseEveryMs);
    }
    const now = Math.max(at, pausedUntilMs);
    while (caller.expire(now) !== undefined);
    if (doneMs <= arrivalMs) {
      sent.shift()!.call.onOutcome('answered', now);
      for (let next = caller.resume(now); next !== undefined; next = caller.resume(now)) send(next, now);
    } else {
      const request = {
        customer: 'c',
        criticality: 'CRITICAL',
        deadlineMs: now + 5_000,
        isIdempotent: true,
      } as const;
      send(caller.start(request, now), now);
      arrivalMs += after(1_000 / PER_SECOND);
    }
  }
  return limiter.limit;
}
