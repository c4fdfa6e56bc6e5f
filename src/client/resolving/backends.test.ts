import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  areSame,
  checkBackend,
  checkBackends,
  checkOrigin,
  MOST_BACKENDS,
  normaliseBackends,
} from './backends.js';
import type { ResolvedBackend } from './resolver.js';

describe('an origin', () => {
  it.each([
    ['http://10.0.0.1:8080', 'http://10.0.0.1:8080'],
    ['HTTP://Orders.Internal:80/', 'http://orders.internal'],
    ['https://[2001:DB8::1]:8443', 'https://[2001:db8::1]:8443'],
  ])('%s is %s', (given, origin) => {
    expect(checkOrigin('url', given).origin).toBe(origin);
  });

  it.each([
    '10.0.0.1:8080',
    'ftp://a',
    'http://a/path',
    'http://a?x',
    'http://a/?',
    'http://a#',
    'http://me:secret@a',
    'http://a:0',
    'http://a:65536',
    'http://a b',
    'http://a\n',
    ' http://a',
    'http:\\\\a',
    'http://',
    `http://${'a'.repeat(300)}`,
    7,
    undefined,
  ])('%j is none', (given) => {
    expect(() => checkOrigin('url', given)).toThrow(/^url must be an http or https origin .* got/);
  });
});

describe('a backend', () => {
  it('is an origin, or an object of known fields', () => {
    const all = { url: 'http://a:1', zone: 'eu-1/b', state: 'lame-duck', host: 'orders:8080' };
    expect(checkBackend('http://a:1/')).toEqual({ url: 'http://a:1' });
    expect(checkBackend(all)).toEqual(all);
    expect(checkBackend({ url: 'http://a:1', zone: undefined })).toEqual({ url: 'http://a:1' });
  });

  it.each([
    [{}, /url/],
    [null, /an object with url, got null/],
    [['http://a'], /an object with url/],
    [{ url: 'http://a', state: 'gone' }, /state must be one of/],
    [{ url: 'http://a', host: 'a\r\nx: y' }, /host/],
    [{ url: 'http://a', host: '' }, /host/],
    [{ url: 'http://a', zone: 7 }, /zone/],
    [{ url: 'http://a', weight: 1 }, /no field "weight"/],
  ])('is not %j', (given, message) => {
    expect(() => checkBackend(given)).toThrow(message);
  });
});

describe('a list that somebody wrote down', () => {
  it('is sorted', () => {
    expect(checkBackends('backends', ['http://b', 'http://a']).map(({ url }) => url)).toEqual([
      'http://a',
      'http://b',
    ]);
  });

  it('has only backends, each once', () => {
    expect(() => checkBackends('backends', ['http://a', 'nonsense'])).toThrow(
      /backends\[1\]: url .* got "nonsense"/,
    );
    expect(() => checkBackends('backends', ['http://a', 'http://a:80'])).toThrow(/"http:\/\/a" twice/);
    expect(() => checkBackends('backends', 'http://a' as never)).toThrow(/must be a list/);
  });

  it('is bounded', () => {
    const many = Array.from({ length: MOST_BACKENDS + 1 }, (_, i) => `http://a:${i + 1}`);
    expect(() => checkBackends('backends', many)).toThrow(/length/);
    expect(checkBackends('backends', many.slice(1))).toHaveLength(MOST_BACKENDS);
  });
});

describe('a list that somebody else said', () => {
  it('loses what is wrong, which is counted', () => {
    const { backends, dropped, problem } = normaliseBackends(['http://b', 'x', 'http://a', 'y']);
    expect(backends.map(({ url }) => url)).toEqual(['http://a', 'http://b']);
    expect(dropped).toBe(2);
    expect(problem).toContain('"x"');
    expect(normaliseBackends([])).toEqual({ backends: [], dropped: 0, problem: undefined });
  });

  it('is bounded, and says so', () => {
    const many = Array.from({ length: MOST_BACKENDS + 2 }, (_, i) => `http://a:${i + 1}`);
    const { backends, dropped, problem } = normaliseBackends([...many, many[0]]);
    expect(backends).toHaveLength(MOST_BACKENDS);
    expect(dropped).toBe(2);
    expect(problem).toContain('more than');
  });

  it.each([
    ['starting', 'ready', 'ready'],
    ['lame-duck', 'ready', 'ready'],
    ['starting', 'lame-duck', 'lame-duck'],
    ['starting', undefined, undefined],
  ] as const)('that says %s and %s of one says %s', (one, other, merged) => {
    const said = (state: ResolvedBackend['state']) => ({ url: 'http://a', zone: 'z', state });
    for (const both of [
      [said(one), said(other)],
      [said(other), said(one)],
    ]) {
      const { backends } = normaliseBackends(both);
      expect(backends).toEqual([merged === undefined ? { url: 'http://a', zone: 'z' } : said(merged)]);
    }
  });

  it('is the same list in whichever order it was said, and nothing throws', () => {
    const anything = fc.oneof(
      fc.webUrl(),
      fc.anything({ maxDepth: 1, maxKeys: 3 }),
      fc.constantFrom('http://a', 'http://b', 'http://a:80'),
    );
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 20 }), (given) => {
        const forth = normaliseBackends(given);
        const back = normaliseBackends(given.toReversed());
        expect(areSame(forth.backends, back.backends)).toBe(true);
        expect(forth.dropped).toBe(back.dropped);
      }),
    );
  });
});

it('knows when two lists say the same', () => {
  const list: ResolvedBackend[] = [{ url: 'http://a', zone: 'z', host: 'h' }];
  expect(areSame(list, [{ ...list[0]!, state: 'ready' }])).toBe(true);
  for (const change of [{ url: 'http://b' }, { zone: 'y' }, { host: 'g' }, { state: 'starting' as const }]) {
    expect(areSame(list, [{ ...list[0]!, ...change }])).toBe(false);
  }
  expect(areSame(list, [])).toBe(false);
});
