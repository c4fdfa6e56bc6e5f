import { describe, expect, it } from 'vitest';
import { readCapacityAsk } from '../core/index.js';
import { addWaiting } from './waiting-wants.js';

const ask = { client: 'a', life: 'b', turn: 1, has: 2, bands: [{ priority: 3, wants: 4, subclients: 1 }] };

describe('an ask for those who wait', () => {
  it.each([
    // [wants, waiting, then]
    [4, 0, 4],
    [4, 6, 10],
    [100, 6, 160],
    [20, 6, 40],
    [0, 6, 6],
  ])('of %s a second with %s waiting is for %s', (wants, waiting, then) => {
    const bands = [{ priority: 3, wants, subclients: 1 }];
    expect(addWaiting({ ...ask, bands }, waiting)).toEqual({ ...ask, bands: [{ ...bands[0], wants: then }] });
  });

  it('can be read, however much that is', () => {
    expect(readCapacityAsk(addWaiting(ask, Number.MAX_VALUE))).toBeDefined();
  });
});
