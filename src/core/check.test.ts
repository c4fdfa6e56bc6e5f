import { describe, expect, it } from 'vitest';
import {
  checkDistinct,
  checkInteger,
  checkNonNegative,
  checkOneOf,
  checkPositive,
  checkWithin,
  withDefaults,
} from './check.js';

describe('checks of options', () => {
  it('return what is possible', () => {
    expect(checkInteger('size', 3, 1)).toBe(3);
    expect(checkInteger('size', 3, 1, 3)).toBe(3);
    expect(checkInteger('size', 1, 1, 3)).toBe(1);
    expect(checkPositive('windowMs', 0.5)).toBe(0.5);
    expect(checkNonNegative('penalty', 0)).toBe(0);
    expect(checkWithin('quantile', 1, 0, 1)).toBe(1);
    expect(checkWithin('quantile', 0, 0, 1)).toBe(0);
    expect(checkOneOf('algorithm', 'random', ['random', 'deterministic'])).toBe('random');
    expect(checkDistinct('backends', ['a', 'b'])).toEqual(new Set(['a', 'b']));
  });

  it('refuse what is not, with field and value', () => {
    expect(() => checkInteger('size', 0, 1)).toThrow(new RangeError('size must be an integer >= 1, got 0'));
    expect(() => checkInteger('size', 9, 1, 8)).toThrow('size must be an integer from 1 to 8, got 9');
    expect(() => checkInteger('size', 1.5, 1)).toThrow('got 1.5');
    expect(() => checkInteger('size', '3', 1)).toThrow('got "3"');
    expect(() => checkInteger('size', [3], 1)).toThrow('got an array');
    expect(() => checkInteger('size', {}, 1)).toThrow('got an object');
    expect(() => checkInteger('size', null, 1)).toThrow('got null');
    expect(() => checkPositive('decayMs', -5)).toThrow('decayMs must be a finite number > 0, got -5');
    expect(() => checkPositive('decayMs', 0)).toThrow('got 0');
    expect(() => checkPositive('decayMs', '5')).toThrow('got "5"');
    expect(() => checkPositive('decayMs', Number.POSITIVE_INFINITY)).toThrow('got Infinity');
    expect(() => checkPositive('decayMs', undefined)).toThrow('got undefined');
    expect(() => checkNonNegative('penalty', Number.NaN)).toThrow(
      'penalty must be a finite number >= 0, got NaN',
    );
    expect(() => checkNonNegative('penalty', -1)).toThrow('got -1');
    expect(() => checkNonNegative('penalty', Number.POSITIVE_INFINITY)).toThrow('got Infinity');
    expect(() => checkNonNegative('penalty', '0')).toThrow('got "0"');
    expect(() => checkWithin('quantile', 1.1, 0, 1)).toThrow('quantile must be from 0 to 1, got 1.1');
    expect(() => checkWithin('quantile', -0.1, 0, 1)).toThrow('got -0.1');
    expect(() => checkWithin('quantile', Number.NaN, 0, 1)).toThrow('got NaN');
    expect(() => checkWithin('quantile', true, 0, 1)).toThrow('got true');
    expect(() => checkDistinct('backends', ['a', 'b', 'a'])).toThrow(
      'backends must be distinct, got "a" twice',
    );
    expect(() => checkOneOf('algorithm', 'rnd', ['random', 'deterministic'])).toThrow(
      'algorithm must be one of random, deterministic, got "rnd"',
    );
  });
});

describe('options over their defaults', () => {
  const defaults = { windowMs: 100, slots: 10 };

  it('keep what is not given, or given as undefined', () => {
    expect(withDefaults('window', defaults, undefined)).toEqual(defaults);
    expect(withDefaults('window', defaults, { slots: 0 })).toEqual({ windowMs: 100, slots: 0 });
    const fromJavaScript = { slots: undefined } as unknown as { slots: number };
    expect(withDefaults('window', defaults, fromJavaScript)).toEqual(defaults);
    expect(defaults).toEqual({ windowMs: 100, slots: 10 });
  });

  it('refuse what is no object', () => {
    for (const given of [true, 5, 'x', null]) {
      expect(() => withDefaults('window', defaults, given as unknown as object)).toThrow(
        'window must be an object of options, got',
      );
    }
  });

  it('refuse a misspelt name', () => {
    const misspelt = { slot: 3 } as unknown as { slots: number };
    expect(() => withDefaults('window', defaults, misspelt)).toThrow(
      new RangeError('window has no option "slot"; it has windowMs, slots'),
    );
    expect(() => withDefaults('window', defaults, JSON.parse('{"__proto__": 1}'))).toThrow('"__proto__"');
  });
});
