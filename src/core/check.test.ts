import { describe, expect, it } from 'vitest';
import { checkInteger, checkNonNegative, checkOneOf, checkPositive, checkWithin } from './check.js';

describe('checks of options', () => {
  it('return what is possible', () => {
    expect(checkInteger('size', 3, 1)).toBe(3);
    expect(checkInteger('size', 3, 1, 3)).toBe(3);
    expect(checkPositive('windowMs', 0.5)).toBe(0.5);
    expect(checkNonNegative('penalty', 0)).toBe(0);
    expect(checkWithin('quantile', 1, 0, 1)).toBe(1);
    expect(checkOneOf('algorithm', 'random', ['random', 'deterministic'])).toBe('random');
  });

  it('refuse what is not, with field and value', () => {
    expect(() => checkInteger('size', 0, 1)).toThrow(new RangeError('size must be an integer >= 1, got 0'));
    expect(() => checkInteger('size', 9, 1, 8)).toThrow('size must be an integer from 1 to 8, got 9');
    expect(() => checkInteger('size', 1.5, 1)).toThrow('got 1.5');
    expect(() => checkInteger('size', '3', 1)).toThrow('got "3"');
    expect(() => checkInteger('size', [3], 1)).toThrow('got an array');
    expect(() => checkInteger('size', {}, 1)).toThrow('got an object');
    expect(() => checkInteger('size', null, 1)).toThrow('got null');
    expect(() => checkPositive('decayMs', -5)).toThrow('decayMs must be > 0, got -5');
    expect(() => checkPositive('decayMs', Number.POSITIVE_INFINITY)).toThrow('got Infinity');
    expect(() => checkPositive('decayMs', undefined)).toThrow('got undefined');
    expect(() => checkNonNegative('penalty', Number.NaN)).toThrow('penalty must be >= 0, got NaN');
    expect(() => checkNonNegative('penalty', Number.POSITIVE_INFINITY)).toThrow('got Infinity');
    expect(() => checkNonNegative('penalty', '0')).toThrow('got "0"');
    expect(() => checkWithin('quantile', 1.1, 0, 1)).toThrow('quantile must be from 0 to 1, got 1.1');
    expect(() => checkWithin('quantile', Number.NaN, 0, 1)).toThrow('got NaN');
    expect(() => checkWithin('quantile', true, 0, 1)).toThrow('got true');
    expect(() => checkOneOf('algorithm', 'rnd', ['random'])).toThrow(
      'algorithm must be one of random, got "rnd"',
    );
  });
});
