import { describe, expect, it } from 'vitest';
import { Streams } from './streams.js';

const take = (random: () => number, count = 5) => Array.from({ length: count }, () => random());

describe('Streams', () => {
  it('are the same for the same seed, and different for another', () => {
    const first = new Streams(7);
    const again = new Streams(7);
    const other = new Streams(8);
    for (let purpose = 0; purpose < 3; purpose++) {
      const drawn = take(first.next());
      expect(take(again.next())).toEqual(drawn);
      expect(take(other.next())).not.toEqual(drawn);
    }
  });

  it('differ from each other, and do not disturb each other', () => {
    const [a, b] = [new Streams(1), new Streams(1)];
    const [a1, a2, b1, b2] = [a.next(), a.next(), b.next(), b.next()];
    take(a1, 1_000);
    const second = take(a2);
    expect(take(b2)).toEqual(second);
    expect(take(b1)).not.toEqual(second);
  });

  it('have nothing to do with each other', () => {
    const streams = new Streams(3);
    const [x, y] = [take(streams.next(), 2_000), take(streams.next(), 2_000)];
    const correlation =
      x.reduce((sum, value, at) => sum + (value - 0.5) * (y[at]! - 0.5), 0) / 2_000 / (1 / 12);
    // Four deviations of chance.
    expect(Math.abs(correlation)).toBeLessThan(4 / Math.sqrt(2_000));
  });
});
