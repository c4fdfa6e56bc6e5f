import { describe, expect, it } from 'vitest';
import { connectionOptions } from './connection-options.js';

describe('connectionOptions', () => {
  it.each([
    ['', []],
    ['Keep-Alive', []],
    ['close', []],
    ['close, X-A', ['close', 'x-a']],
    [' a ,, b,', ['a', 'b']],
  ])('of "%s" are %s', (value, options) => {
    expect(connectionOptions(value)).toEqual(options);
  });

  it('are not believed to be that many', () => {
    expect(connectionOptions(Array(32).fill('a').join())).toHaveLength(32);
    expect(connectionOptions(Array(33).fill('a').join())).toBeUndefined();
  });
});
