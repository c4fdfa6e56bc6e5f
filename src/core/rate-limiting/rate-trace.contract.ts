import fc from 'fast-check';
import { evenly } from '../evenly.contract.js';
import { createAlgorithm } from './create-algorithm.js';
import type { RateAlgorithm, RateDecision, RateState } from './rate-algorithm.js';
import type { RateLimitOptions } from './rate-limit-options.js';

/** Times of the day, so that sums are as large as they will be. */
export const START = 1_700_000_000_000;

export type Tested = Pick<RateLimitOptions, 'algorithm' | 'countRefused'>;
export type TestedOptions = RateLimitOptions & { readonly burst: number };

/** How long after the one before, what it costs, and whether the clock goes back instead of on. */
export interface Request {
  readonly gapMs: number;
  readonly cost: number;
  readonly isBack: boolean;
}

export interface Step {
  readonly now: number;
  readonly cost: number;
  readonly before: RateState | undefined;
  readonly decision: RateDecision;
  readonly after: RateState;
}

/** Shares of the window and of the burst, so that they suit any rate. */
const gap = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constant('1ms' as const) },
  { weight: 4, arbitrary: evenly(0, 0.3) },
  { weight: 1, arbitrary: evenly(0, 3) },
);
const share = fc.oneof(
  { weight: 4, arbitrary: fc.constant('one' as const) },
  { weight: 2, arbitrary: evenly(0, 1.1) },
  { weight: 1, arbitrary: fc.constant(0) },
);
const shares = fc.array(fc.tuple(gap, share, fc.boolean()), { minLength: 1, maxLength: 30 });

/** Rates that are often full, and some so large that a rounded number would show. */
function rates(tested: Tested): fc.Arbitrary<TestedOptions> {
  const small = fc.record({
    limit: fc.integer({ min: 1, max: 12 }),
    windowMs: fc.constantFrom(1, 2, 7, 10, 60, 997, 1_000),
    burst: fc.integer({ min: 1, max: 15 }),
  });
  const large = fc.record({
    limit: fc.integer({ min: 1, max: 2_000_000 }),
    windowMs: fc.integer({ min: 1, max: 1_000_000_000 }),
    burst: fc.integer({ min: 1, max: 2_000_000 }),
  });
  const hasBurst = tested.algorithm === 'gcra' || tested.algorithm.endsWith('-bucket');
  return fc
    .oneof({ weight: 3, arbitrary: small }, { weight: 1, arbitrary: large })
    .map((rate) => ({ ...rate, ...tested, burst: hasBurst ? rate.burst : rate.limit }));
}

/** Checks any rate of an algorithm, with any requests. */
export function forAnyTrace(
  tested: Tested,
  check: (algorithm: RateAlgorithm, requests: readonly Request[], options: TestedOptions) => void,
): void {
  fc.assert(
    fc.property(rates(tested), shares, (options, drawn) => {
      const requests = drawn.map(([gap, share, isBack]) => ({
        gapMs: gap === '1ms' ? 1 : Math.floor(gap * options.windowMs),
        cost: share === 'one' ? 1 : Math.ceil(share * options.burst),
        isBack,
      }));
      check(createAlgorithm(options), requests, options);
    }),
  );
}

/** All requests one after the other, on states that cannot be changed. */
export function run(algorithm: RateAlgorithm, requests: readonly Request[], goesBack = false): Step[] {
  let state: RateState | undefined;
  let now = START + 3;
  return requests.map(({ gapMs, cost, isBack }) => {
    now += goesBack && isBack ? -gapMs : gapMs;
    const before = state;
    const { decision, state: after } = algorithm.take(before, now, cost);
    state = Object.freeze(after);
    return { now, cost, before, decision, after };
  });
}

/** All that can be seen of a state at an instant. */
export function look(
  algorithm: RateAlgorithm,
  state: RateState | undefined,
  now: number,
  burst: number,
): RateDecision[] {
  return [0, 1, Math.ceil(burst / 2), burst].map((cost) => algorithm.peek(state, now, cost));
}

/** The most of [ms, cost] in any stretch [s, s + windowMs). */
export function mostInAWindow(passed: readonly (readonly [number, number])[], windowMs: number): number {
  let most = 0;
  for (const [index, [fromMs]] of passed.entries()) {
    let sum = 0;
    for (const [ms, cost] of passed.slice(index)) if (ms - fromMs < windowMs) sum += cost;
    most = Math.max(most, sum);
  }
  return most;
}
