import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../testing/index.js';
import { TurnClock } from './turn-clock.js';

const START = 1_700_000_000_000;

function turnClock() {
  const world = new VirtualClock({ wallMs: START });
  const ends: (() => void)[] = [];
  const clock = new TurnClock(world, (forget) => ends.push(forget));
  return { world, ends, clock };
}

describe('TurnClock', () => {
  it('is read once a turn', () => {
    const { world, ends, clock } = turnClock();
    expect(clock.now()).toBe(START);
    world.advance(5);
    expect(clock.now()).toBe(START);
    expect(ends).toHaveLength(1);
    ends.pop()!();
    expect(clock.now()).toBe(START + 5);
    expect(ends).toHaveLength(1);
  });

  it('goes on when the loop does not turn', () => {
    const { world, ends, clock } = turnClock();
    for (let uses = 0; uses < 64; uses++) expect(clock.now()).toBe(START);
    world.advance(5);
    expect(clock.now()).toBe(START + 5);
    expect(ends).toHaveLength(1);
  });

  it('takes no notice when the wall clock is set', () => {
    const { world, ends, clock } = turnClock();
    world.setWall(START - 3_600_000);
    world.advance(7);
    expect(clock.now()).toBe(START + 7);
    ends.pop()!();
    world.setWall(START + 3_600_000);
    expect(clock.now()).toBe(START + 7);
  });

  it('is never older than the turn: after a sleep, I/O and timers see the time of their own', async () => {
    const clock = new TurnClock({
      monotonicMs: () => performance.now(),
      wallMs: () => Date.now(),
      random: () => 0,
    });
    const before = clock.now();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(clock.now()).toBeGreaterThanOrEqual(before + 4);
  });
});
