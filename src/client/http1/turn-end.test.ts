import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { atTurnEnd } from './turn-end.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setImmediate', 'clearImmediate'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const job = (onTurnEnd: () => void) => atTurnEnd({ onTurnEnd });

/** One turn: what is set up in its course belongs to the next. */
const turn = () => vi.advanceTimersToNextTimer();

describe('the end of a turn', () => {
  it('is when all of its jobs are done, in their order, by one timer', () => {
    const done: number[] = [];
    for (let i = 0; i < 5; i++) job(() => void done.push(i));
    expect([done, vi.getTimerCount()]).toEqual([[], 1]);
    turn();
    expect([done, vi.getTimerCount()]).toEqual([[0, 1, 2, 3, 4], 0]);
  });

  it('is not that of the next: what a job asks for is done then', () => {
    const done: string[] = [];
    job(() => {
      done.push('first');
      job(() => void done.push('next'));
    });
    job(() => void done.push('second'));
    turn();
    expect(done).toEqual(['first', 'second']);
    turn();
    expect(done).toEqual(['first', 'second', 'next']);
  });

  it('comes for all jobs, though one of them throws', () => {
    const done: string[] = [];
    job(() => void done.push('before'));
    job(() => {
      job(() => void done.push('its own'));
      throw new Error('mine');
    });
    job(() => void done.push('behind'));
    expect(turn).toThrow('mine');
    while (vi.getTimerCount() > 0) turn();
    expect(done.sort()).toEqual(['before', 'behind', 'its own']);
    job(() => void done.push('later'));
    turn();
    expect(done).toContain('later');
  });
});
