import { describe, expect, it } from 'vitest';
import { Breaker } from './breaker.js';

/** Trials come at the middle of their interval. */
function breaker(random = 0.5): Breaker {
  return new Breaker({}, () => random);
}

/** Asks and is answered, well or not. */
function call(tested: Breaker, now: number, isGood: boolean): void {
  tested.asked(now);
  if (isGood) tested.answered(now);
  else tested.failed(now);
}

describe('a breaker', () => {
  it('lets everything through while something is answered', () => {
    const tested = breaker();
    for (let now = 0; now < 1_000; now += 10) {
      tested.asked(now);
      tested.look(now);
      expect(tested.lets(now)).toBe(true);
      if (now > 0) tested.answered(now);
    }
    expect(tested.state).toBe('closed');
    expect(tested.pending).toBe(1);
  });

  it('opens when nothing is answered for 100 ms, and closes with the first answer', () => {
    const tested = breaker();
    tested.asked(1_000);
    tested.asked(1_050);
    tested.look(1_099);
    expect(tested.lets(1_099)).toBe(true);
    tested.look(1_100);
    expect([tested.state, tested.lets(1_100), tested.lets(9_999)]).toEqual(['silent', false, false]);
    tested.answered(10_000);
    expect([tested.state, tested.lets(10_000)]).toEqual(['closed', true]);
    // One is pending still, and silence is counted from the last answer.
    tested.look(10_099);
    expect(tested.state).toBe('closed');
    tested.look(10_100);
    expect(tested.state).toBe('silent');
  });

  it('does not take it for silence when nothing was asked', () => {
    const tested = breaker();
    call(tested, 0, true);
    tested.look(5_000);
    expect([tested.state, tested.silentMs(5_000)]).toEqual(['closed', 0]);
    tested.asked(5_000);
    expect(tested.silentMs(5_040)).toBe(40);
  });

  it('opens after five errors in a row, not after five with an answer between', () => {
    const tested = breaker();
    for (const isGood of [false, false, false, false, true, false, false, false, false])
      call(tested, 0, isGood);
    expect(tested.state).toBe('closed');
    call(tested, 0, false);
    expect([tested.state, tested.lets(0)]).toEqual(['failing', false]);
  });

  it('tries again at intervals that double, one call each', () => {
    const tested = breaker();
    for (let i = 0; i < 5; i++) call(tested, 0, false);
    const trials: number[] = [];
    for (let now = 0; now < 10_000; now += 100) {
      if (!tested.lets(now)) continue;
      trials.push(now);
      call(tested, now, false);
    }
    expect(trials).toEqual([200, 600, 1_400, 3_000, 5_000, 7_000, 9_000]);
    expect(tested.lets(11_000)).toBe(true);
    call(tested, 11_000, true);
    expect([tested.state, tested.lets(11_000)]).toEqual(['closed', true]);
  });

  it('tries at random within half and one and a half of the interval, so that many do not come at once', () => {
    for (const [random, trialMs] of [
      [0, 100],
      [0.999, 299.8],
    ] as const) {
      const tested = breaker(random);
      for (let i = 0; i < 5; i++) call(tested, 0, false);
      expect(tested.lets(trialMs - 0.1)).toBe(false);
      expect(tested.lets(trialMs)).toBe(true);
    }
  });

  it('begins anew with a new connection', () => {
    const tested = breaker();
    for (let i = 0; i < 5; i++) call(tested, 0, false);
    tested.renew();
    expect(tested.lets(0)).toBe(true);
    tested.asked(0);
    tested.look(100);
    tested.renew();
    expect(tested.lets(100)).toBe(true);
  });

  it('refuses impossible options', () => {
    expect(() => new Breaker({ silenceMs: 0 }, Math.random)).toThrow('silenceMs must be a finite number > 0');
    expect(() => new Breaker({ errorsInRow: 0 }, Math.random)).toThrow('errorsInRow must be an integer >= 1');
  });
});
