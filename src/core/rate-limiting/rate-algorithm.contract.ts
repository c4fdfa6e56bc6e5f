import { describe, expect, it } from 'vitest';
import { createAlgorithm, createInPlaceAlgorithm } from './create-algorithm.js';
import { describeState } from './rate-state.contract.js';
import {
  forAnyTrace,
  look,
  mostInAWindow,
  run,
  type Tested,
  type TestedOptions,
} from './rate-trace.contract.js';

/**
 * What every algorithm promises, run over all of them. `bound` is the most that passes in any stretch
 * [s, s + windowMs): each algorithm's file argues for its own.
 */
export function describeAlgorithm(tested: Tested, bound: (options: TestedOptions) => number): void {
  const title = tested.countRefused ? `${tested.algorithm} that counts refused ones` : tested.algorithm;

  describe(`${title} keeps the contract of a rate algorithm`, () => {
    it('never passes more than its bound in any window', () => {
      forAnyTrace(tested, (algorithm, requests, options) => {
        const passed = run(algorithm, requests)
          .filter(({ decision }) => decision.allowed)
          .map(({ now, cost }) => [now, cost] as const);
        expect(mostInAWindow(passed, options.windowMs)).toBeLessThanOrEqual(bound(options));
      });
    });

    it('passes no more when now goes back: the bound holds in the time of the latest that passed', () => {
      forAnyTrace(tested, (algorithm, requests, options) => {
        let latestMs = 0;
        const passed: (readonly [number, number])[] = [];
        for (const { now, cost, decision } of run(algorithm, requests, true)) {
          if (!decision.allowed || cost === 0) continue;
          latestMs = Math.max(latestMs, now);
          passed.push([latestMs, cost]);
        }
        expect(mostInAWindow(passed, options.windowMs)).toBeLessThanOrEqual(bound(options));
      });
    });

    it('passes no more at an earlier instant than at a later one', () => {
      forAnyTrace(tested, (algorithm, requests, options) => {
        for (const { now, after } of run(algorithm, requests)) {
          const seen = [5_000_000_000, options.windowMs, 1, 0].map((backMs) =>
            look(algorithm, after, now - backMs, options.burst),
          );
          for (let index = 1; index < seen.length; index++) {
            const [earlier, later] = [seen[index - 1]!, seen[index]!];
            expect(earlier.filter(({ allowed }, which) => allowed && !later[which]!.allowed)).toEqual([]);
            // That of cost 0: one that passes leaves less.
            expect(later[0]!.remaining).toBeGreaterThanOrEqual(earlier[0]!.remaining);
          }
        }
      });
    });

    it('says exactly when the same request passes, also when now has gone back', () => {
      for (const goesBack of [false, true]) {
        forAnyTrace(tested, (algorithm, requests, options) => {
          for (const { now, cost, decision, after } of run(algorithm, requests, goesBack)) {
            const { allowed, limit, retryAfterMs } = decision;
            expect(limit).toBe(options.burst);
            expect(allowed).toBe(retryAfterMs === 0);
            if (allowed) continue;
            expect(retryAfterMs === Number.POSITIVE_INFINITY).toBe(cost > limit);
            if (cost > limit) continue;
            expect(algorithm.peek(after, now + retryAfterMs, cost).allowed).toBe(true);
            expect(algorithm.peek(after, now + retryAfterMs - 1, cost).allowed).toBe(false);
          }
        });
      }
    });

    it('says exactly how much remains', () => {
      forAnyTrace(tested, (algorithm, requests) => {
        for (const { now, decision, after } of run(algorithm, requests)) {
          expect(decision.remaining).toBeGreaterThanOrEqual(0);
          expect(algorithm.peek(after, now, decision.remaining).allowed).toBe(true);
          expect(algorithm.peek(after, now, decision.remaining + 1).allowed).toBe(false);
        }
      });
    });

    it('says exactly when it is as if nobody had come', () => {
      for (const goesBack of [false, true]) {
        forAnyTrace(tested, (algorithm, requests, options) => {
          for (const { now, decision, after } of run(algorithm, requests, goesBack)) {
            const freshMs = now + decision.resetMs;
            const fresh = look(algorithm, undefined, freshMs, options.burst);
            expect(look(algorithm, after, freshMs, options.burst)).toEqual(fresh);
            if (decision.resetMs === 0) continue;
            expect(algorithm.peek(after, freshMs - 1, options.burst).allowed).toBe(false);
          }
        });
      }
    });

    it('has forgotten all after an idle hour, or twice its own time if that is longer', () => {
      forAnyTrace(tested, (algorithm, requests, options) => {
        const { now, after } = run(algorithm, requests).at(-1)!;
        const drainMs = Math.ceil((options.burst * options.windowMs) / options.limit);
        const laterMs = now + Math.max(3_600_000, 2 * options.windowMs, drainMs);
        const fresh = look(algorithm, undefined, laterMs, options.burst);
        expect(look(algorithm, after, laterMs, options.burst)).toEqual(fresh);
        expect(fresh.at(-1)!.allowed).toBe(true);
      });
    });

    it('says the same when it only looks', () => {
      forAnyTrace(tested, (algorithm, requests) => {
        for (const { now, cost, before, decision } of run(algorithm, requests, true)) {
          expect(algorithm.peek(before, now, cost)).toEqual(decision);
        }
      });
    });

    it('passes whatever costs nothing, and a smaller cost no later than a larger one', () => {
      forAnyTrace(tested, (algorithm, requests, options) => {
        for (const { now, after } of run(algorithm, requests)) {
          expect(algorithm.peek(after, now, 0).allowed).toBe(true);
          const { burst } = options;
          const waits = [0, 1, Math.ceil(burst / 3), Math.ceil(burst / 2), burst, burst + 1].map(
            (cost) => algorithm.peek(after, now, cost).retryAfterMs,
          );
          expect(waits).toEqual(waits.toSorted((a, b) => a - b));
        }
      });
    });

    it('cuts off fractions of a millisecond', () => {
      forAnyTrace(tested, (algorithm, requests) => {
        const { now, after } = run(algorithm, requests).at(-1)!;
        const expected = algorithm.take(after, now, 1);
        expect(algorithm.take(after, now + 0.75, 1)).toEqual(expected);
      });
    });

    it('refuses numbers that cannot be', () => {
      const algorithm = createAlgorithm({ ...tested, limit: 3, windowMs: 1_000 });
      const { state } = algorithm.take(undefined, 0, 1);
      for (const cost of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        const refused = `cost must be an integer >= 0, got ${cost}`;
        expect(() => algorithm.take(state, 0, cost)).toThrow(refused);
        expect(() => algorithm.peek(state, 0, cost)).toThrow(refused);
        expect(() => algorithm.refund(state, 0, cost)).toThrow(refused);
        expect(() => algorithm.settle(state, 0, cost, 1)).toThrow('reserved must be an integer');
        expect(() => algorithm.settle(state, 0, 1, cost)).toThrow('actual must be an integer');
      }
      const inPlace = createInPlaceAlgorithm({ ...tested, limit: 3, windowMs: 1_000 });
      expect(() => inPlace.chargeAt([...state], 0, 0, -1)).toThrow('cost must be');
      for (const now of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
        const refused = `now must be a finite number >= 0, got ${now}`;
        expect(() => algorithm.take(state, now, 1)).toThrow(refused);
        expect(() => algorithm.refund(state, now, 1)).toThrow(refused);
        expect(() => algorithm.settle(state, now, 1, 2)).toThrow(refused);
      }
      for (const limit of [0, -1, 1.5, 2 ** 60, undefined]) {
        const options = { ...tested, limit: limit as number, windowMs: 1_000 };
        expect(() => createAlgorithm(options)).toThrow('limit must be an integer from 1 to');
      }
      for (const windowMs of [0, -1, 1.5, 2 ** 41, undefined]) {
        const options = { ...tested, limit: 3, windowMs: windowMs as number };
        expect(() => createAlgorithm(options)).toThrow('windowMs must be an integer from 1 to');
      }
    });
  });

  describeState(title, tested);
}
