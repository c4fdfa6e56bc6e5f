import { expect, it } from 'vitest';
import { VirtualClock } from './virtual-clock.js';

it('moves only when told to', () => {
  const clock = new VirtualClock();
  expect(clock.monotonicMs()).toBe(0);
  clock.advance(250);
  clock.advance(0);
  expect(clock.monotonicMs()).toBe(250);
  expect(new Date(clock.wallMs()).toISOString()).toBe('2026-01-01T00:00:00.250Z');
});

it('refuses to go back', () => {
  expect(() => new VirtualClock().advance(-1)).toThrow('ms must be >= 0, got -1');
  expect(() => new VirtualClock().advance(Number.NaN)).toThrow('got NaN');
});

it('keeps monotonic time apart from the wall', () => {
  const clock = new VirtualClock({ wallMs: 1_000 });
  clock.advance(50);
  clock.setWall(10);
  expect(clock.monotonicMs()).toBe(50);
  expect(clock.wallMs()).toBe(10);
  clock.advance(5);
  expect(clock.wallMs()).toBe(15);
});

it('draws the same for the same seed', () => {
  const draws = (seed: number) => {
    const clock = new VirtualClock({ seed });
    return [clock.random(), clock.random(), clock.random()];
  };
  expect(draws(7)).toEqual(draws(7));
  expect(draws(7)).not.toEqual(draws(8));
});
