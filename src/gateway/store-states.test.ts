import { describe, expect, it } from 'vitest';
import { StoreStates } from './store-states.js';

describe('StoreStates', () => {
  it('tells once that the store is gone, and once that it is back', () => {
    const states = new StoreStates();
    const look = (decided: number, undecided: number) => states.change({ decided, undecided });
    expect([look(5, 0), look(9, 0)]).toEqual([undefined, undefined]);
    expect([look(10, 1), look(10, 7)]).toEqual([false, undefined]);
    // Nobody asks: who knows.
    expect(look(10, 7)).toBe(undefined);
    // Some answers come, and not all.
    expect(look(12, 8)).toBe(undefined);
    expect([look(20, 8), look(30, 8)]).toEqual([true, undefined]);
  });

  it('does not take other limits for news', () => {
    const states = new StoreStates();
    states.change({ decided: 100, undecided: 0 });
    expect(states.change({ decided: 3, undecided: 0 })).toBe(undefined);
    states.change({ decided: 3, undecided: 9 });
    expect(states.change({ decided: 0, undecided: 0 })).toBe(undefined);
    expect(states.change({ decided: 1, undecided: 0 })).toBe(true);
  });
});
