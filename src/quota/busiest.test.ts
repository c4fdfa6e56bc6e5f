import { describe, expect, it } from 'vitest';
import { busiest } from './busiest.js';

const wanting = (count: number) =>
  Array.from({ length: count }, (_, demandPerSecond) => ({ demandPerSecond }));

describe('busiest', () => {
  it('is everybody, when they are few', () => {
    const all = wanting(200);
    expect(busiest(all)).toBe(all);
  });

  it('is those that want most, when they are many', () => {
    const found = busiest(wanting(1_000));
    expect(found).toHaveLength(200);
    expect(Math.min(...found.map(({ demandPerSecond }) => demandPerSecond))).toBe(800);
  });
});
