import fc from 'fast-check';
import { expect, it } from 'vitest';
import { deadlineAfter, hopDeadline, isExpired, NO_DEADLINE, remainingMs } from './deadline.js';

it('is an instant', () => {
  expect(deadlineAfter(1_000, 250)).toBe(1_250);
  expect(deadlineAfter(1_000, undefined)).toBe(NO_DEADLINE);
  expect(deadlineAfter(1_000, -5)).toBe(1_000);
  expect(remainingMs(1_250, 1_100)).toBe(150);
  expect(remainingMs(1_250, 2_000)).toBe(0);
  expect(remainingMs(NO_DEADLINE, 5)).toBe(Number.POSITIVE_INFINITY);
});

it('has passed when it is reached', () => {
  expect(isExpired(1_250, 1_249)).toBe(false);
  expect(isExpired(1_250, 1_250)).toBe(true);
  expect(isExpired(NO_DEADLINE, 1e12)).toBe(false);
});

it('is the earlier of what was told and what is allowed', () => {
  expect(hopDeadline(0, 500, 200)).toBe(200);
  expect(hopDeadline(0, 100, 200)).toBe(100);
  expect(hopDeadline(0, undefined, 200)).toBe(200);
  expect(hopDeadline(0, 100)).toBe(100);
  expect(hopDeadline(0, undefined)).toBe(NO_DEADLINE);
  expect(hopDeadline(0, Number.NaN, 200)).toBe(200);
  expect(hopDeadline(7, -3, 200)).toBe(7);
  expect(hopDeadline(0, 100, Number.NaN)).toBe(100);
});

it('never leaves more time at a lower hop than there was above, whatever each allows and however long it takes', () => {
  const hop = fc.record({
    clockMs: fc.nat(1_000_000),
    ownTimeoutMs: fc.option(fc.nat(10_000), { nil: undefined }),
    spentMs: fc.nat(2_000),
  });
  fc.assert(
    fc.property(fc.option(fc.nat(10_000), { nil: undefined }), fc.array(hop), (atTheEdge, hops) => {
      let told = atTheEdge;
      for (const { clockMs, ownTimeoutMs, spentMs } of hops) {
        const deadline = hopDeadline(clockMs, told, ownTimeoutMs);
        const passedOn = remainingMs(deadline, clockMs + spentMs);
        expect(passedOn).toBeLessThanOrEqual(Math.max(0, (told ?? Number.POSITIVE_INFINITY) - spentMs));
        told = passedOn === Number.POSITIVE_INFINITY ? undefined : passedOn;
      }
    }),
  );
});
