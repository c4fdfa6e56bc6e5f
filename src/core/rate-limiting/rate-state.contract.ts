import { describe, expect, it } from 'vitest';
import { createInPlaceAlgorithm } from './create-algorithm.js';
import { peekAt, settleAt } from './in-place-algorithm.js';
import type { RateState } from './rate-algorithm.js';
import { forAnyTrace, look, type Request, run, START, type Tested } from './rate-trace.contract.js';

/**
 * What every algorithm promises of its states: what is given back and settled, how large they are, when they are gone.
 */
export function describeState(title: string, tested: Tested): void {
  describe(`${title} keeps the contract of states`, () => {
    it('has states that say no more than none from their expiry on, and do before', () => {
      forAnyTrace(tested, (algorithm, requests, options) => {
        for (const { now, after, decision } of run(algorithm, requests)) {
          const expiryMs = algorithm.expiryMs(after);
          if (decision.resetMs > 0) expect(expiryMs).toBe(now + decision.resetMs);
          else expect(expiryMs).toBeLessThanOrEqual(now);
          for (const laterMs of [expiryMs, expiryMs + 1, expiryMs + 3_600_000]) {
            const fresh = look(algorithm, undefined, laterMs, options.burst);
            expect(look(algorithm, after, laterMs, options.burst)).toEqual(fresh);
          }
        }
      });
    });

    it('changes nothing for a request that is refused or costs nothing', () => {
      for (const goesBack of [false, true]) {
        forAnyTrace(tested, (algorithm, requests) => {
          for (const { cost, before, decision, after } of run(algorithm, requests, goesBack)) {
            if (before === undefined || (decision.allowed && cost > 0)) continue;
            if (cost > 0 && tested.countRefused) continue;
            expect(after).toEqual(before);
          }
        });
      }
    });

    it('is as before when what was taken is given back', () => {
      for (const goesBack of [false, true]) {
        forAnyTrace(tested, (algorithm, requests, options) => {
          for (const { now, cost, before, decision, after } of run(algorithm, requests, goesBack)) {
            if (!decision.allowed || cost === 0) continue;
            const refunded = algorithm.refund(after, now, cost);
            for (const laterMs of [0, 1, Math.floor(options.windowMs / 2), options.windowMs]) {
              const expected = look(algorithm, before, now + laterMs, options.burst);
              expect(look(algorithm, refunded, now + laterMs, options.burst)).toEqual(expected);
            }
          }
        });
      }
    });

    it('undoes what was taken, never so that more passes than if it had never been', () => {
      // One that writes down refused requests has others in its log then, which were refused only because of it.
      if (tested.countRefused) return;
      forAnyTrace(tested, (_, requests, options) => {
        const inPlace = createInPlaceAlgorithm(options);
        const zeros = new Array<number>(inPlace.width).fill(0);
        const [without, undone] = [[...zeros], [...zeros]];
        let now = START;
        const [{ cost: taken }, ...others] = requests as [Request, ...Request[]];
        const takenAtMs = now;
        const { allowed } = inPlace.takeAt(undone, 0, now, taken);
        for (const { gapMs, cost } of others) {
          now += gapMs;
          if (inPlace.takeAt(undone, 0, now, cost).allowed) inPlace.takeAt(without, 0, now, cost);
        }
        const before = peekAt(inPlace, undone, 0, now, 0).remaining;
        inPlace.undoAt(undone, 0, now, allowed ? taken : 0, takenAtMs);
        const after = peekAt(inPlace, undone, 0, now, 0).remaining;
        expect(after).toBeGreaterThanOrEqual(before);
        if (now === takenAtMs) expect(after - before).toBe(allowed ? taken : 0);
        for (const laterMs of [0, 1, Math.floor(options.windowMs / 2), options.windowMs]) {
          const most = peekAt(inPlace, without, 0, now + laterMs, 0).remaining;
          expect(peekAt(inPlace, undone, 0, now + laterMs, 0).remaining).toBeLessThanOrEqual(most);
        }
      });
    });

    it('gives back no more than was taken', () => {
      forAnyTrace(tested, (algorithm, requests, options) => {
        const { now, after } = run(algorithm, requests).at(-1)!;
        const refunded = algorithm.refund(after, now, Number.MAX_SAFE_INTEGER);
        expect(algorithm.peek(refunded, now, 0).remaining).toBeLessThanOrEqual(options.burst);
        for (const number of refunded) expect(number).toBeGreaterThanOrEqual(0);
      });
    });

    it('settles a reservation: as if only what was used had been taken', () => {
      forAnyTrace(tested, (algorithm, requests, options) => {
        for (const { now, cost, before, decision } of run(algorithm, requests)) {
          if (!decision.allowed) continue;
          const reserved = algorithm.take(before, now, cost).state;
          for (const actual of [0, Math.floor(cost / 2), cost]) {
            const settled = algorithm.settle(reserved, now, cost, actual);
            const expected = algorithm.take(before, now, actual).state;
            for (const laterMs of [now, now + options.windowMs]) {
              expect(look(algorithm, settled, laterMs, options.burst)).toEqual(
                look(algorithm, expected, laterMs, options.burst),
              );
            }
          }
        }
      });
    });

    it('changes nothing when a reservation was right', () => {
      forAnyTrace(tested, (algorithm, requests, options) => {
        for (const { now, cost, after } of run(algorithm, requests)) {
          for (const laterMs of [0, 1, options.windowMs]) {
            expect(algorithm.settle(after, now + laterMs, cost, cost)).toEqual(after);
          }
        }
      });
    });

    it('goes into a bounded debt when a reservation was too small, and out of it again', () => {
      forAnyTrace(tested, (algorithm, requests, options) => {
        const { burst, limit, windowMs } = options;
        for (const { now, after } of run(algorithm, requests)) {
          const owing = algorithm.settle(after, now, 1, Number.MAX_SAFE_INTEGER);
          const { allowed, remaining, resetMs, retryAfterMs } = algorithm.peek(owing, now, 1);
          expect([allowed, remaining]).toEqual([false, 0]);
          expect(algorithm.peek(owing, now, 0).allowed).toBe(true);
          expect(algorithm.peek(owing, now + retryAfterMs, 1).allowed).toBe(true);
          expect(algorithm.peek(owing, now + retryAfterMs - 1, 1).allowed).toBe(false);
          expect(resetMs).toBeLessThanOrEqual(
            Math.max(2 * windowMs, Math.ceil((2 * burst * windowMs) / limit)),
          );
          expect(algorithm.peek(owing, now + resetMs, burst).allowed).toBe(true);
        }
      });
    });

    it('keeps few whole numbers, however much comes', () => {
      forAnyTrace(tested, (algorithm, requests, options) => {
        const { width } = createInPlaceAlgorithm(options);
        for (const { now, after } of run(algorithm, requests, true)) {
          const owing = algorithm.settle(after, now, 0, 1_000_000_000);
          for (const state of [after, owing]) {
            if (width > 0) expect(state).toHaveLength(width);
            else expect(state.length).toBeLessThanOrEqual(2 * Math.min(options.limit, options.windowMs));
            expect(state.every((number) => Number.isSafeInteger(number) && number >= 0)).toBe(true);
          }
        }
      });
    });

    it('decides in place as it does purely, and touches nobody else', () => {
      forAnyTrace(tested, (algorithm, requests, options) => {
        const inPlace = createInPlaceAlgorithm(options);
        const { width } = inPlace;
        const at = width;
        const cells = width === 0 ? [] : new Float64Array(3 * width).fill(-1).fill(0, at, at + width);
        let state: RateState = Array.from(cells.slice(at, 2 * width));
        let now = START;
        for (const { gapMs, cost, isBack } of requests) {
          now += gapMs;
          expect(peekAt(inPlace, cells, at, now, cost)).toEqual(algorithm.peek(state, now, cost));
          const { decision, state: next } = algorithm.take(state, now, cost);
          expect(inPlace.takeAt(cells, at, now, cost)).toEqual(decision);
          const actual = isBack ? cost >> 1 : cost + 1;
          state = algorithm.settle(next, now, cost, actual);
          settleAt(inPlace, cells, at, now, cost, actual);
          expect(inPlace.expiryAt(cells, at)).toBe(algorithm.expiryMs(state));
        }
        const beside = new Array<number>(width).fill(-1);
        expect(Array.from(cells)).toEqual([...beside, ...state, ...beside]);
      });
    });
  });
}
