import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../core/seeded-random.js';
import { Choice } from './choice.js';

const drawAt = (choice: Choice<string>, ...points: number[]) =>
  points.map((point) => choice.draw(() => point));

describe('Choice', () => {
  it('gives each thing the part of the line that its weight is of all', () => {
    const choice = new Choice([
      ['a', 1],
      ['b', 3],
    ]);
    expect(drawAt(choice, 0, 0.2499, 0.25, 0.9999)).toEqual(['a', 'a', 'b', 'b']);
  });

  it('never draws what has no weight, wherever it stands', () => {
    const choice = new Choice([
      ['none', 0],
      ['a', 0.1],
      ['nor this', 0],
      ['b', 0.2],
      ['c', 0.3],
      ['nor that', 0],
    ]);
    const random = new SeededRandom(1);
    const drawn = Array.from({ length: 2_000 }, () => choice.draw(() => random.next()));
    expect(new Set([...drawn, ...drawAt(choice, 0, 1 - 2 ** -53)])).toEqual(new Set(['a', 'b', 'c']));
    const share = (item: string) => drawn.filter((each) => each === item).length / drawn.length;
    expect(share('a')).toBeCloseTo(1 / 6, 1);
    expect(share('c')).toBeCloseTo(1 / 2, 1);
  });

  it('draws nothing where there is nothing to choose', () => {
    const choice = new Choice([['a', 5]]);
    const random = () => {
      throw new Error('no chance is needed');
    };
    expect(choice.draw(random)).toBe('a');
  });

  it('refuses weights that are all 0, and none at all', () => {
    for (const weighted of [[], [['a', 0] as const], [['a', 0] as const, ['b', 0] as const]]) {
      expect(() => new Choice(weighted)).toThrow('at least one weight must be > 0');
    }
    expect(() => new Choice([['a', Number.NaN]])).toThrow(RangeError);
  });
});
