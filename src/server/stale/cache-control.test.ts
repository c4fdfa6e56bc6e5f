import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CacheControl } from './cache-control.js';

describe('CacheControl', () => {
  it('knows its directives in any case and spacing', () => {
    const control = new CacheControl('Public,max-age = 60 ,  STALE-IF-ERROR="300"');
    expect(control.has('public')).toBe(true);
    expect(control.has('private')).toBe(false);
    expect(control.ms('max-age')).toBe(60_000);
    expect(control.ms('stale-if-error')).toBe(300_000);
    expect(control.ms('s-maxage')).toBeUndefined();
  });

  it('takes what is in quotes for no directive', () => {
    const control = new CacheControl('private="set-cookie, public, \\"no-store", max-age=1');
    expect(control.has('private')).toBe(true);
    expect(control.has('public')).toBe(false);
    expect(control.has('no-store')).toBe(false);
    expect(control.ms('max-age')).toBe(1_000);
  });

  it.each([
    ['max-age=-1', 0],
    ['max-age=ten', 0],
    ['max-age', 0],
    ['max-age=', 0],
    ['max-age=1.5', 0],
    ['max-age=5, max-age=500', 5_000],
    ['max-age=99999999999999999999', 2 ** 31 * 1_000],
    ['max-age=0', 0],
  ])('%s is %d ms', (text, ms) => {
    expect(new CacheControl(text).ms('max-age')).toBe(ms);
  });

  it('misses no directive that stands alone between commas, whatever is around it', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z-]{1,8}(=[0-9a-z]{0,4})?$/)), fc.nat(), (words, place) => {
        const list = [...words];
        list.splice(place % (words.length + 1), 0, 'no-store');
        expect(new CacheControl(list.join(', ')).has('no-store')).toBe(true);
      }),
    );
  });

  it('survives any text', () => {
    fc.assert(fc.property(fc.string(), (text) => void new CacheControl(text).ms('max-age')));
  });
});
