import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CopyStore } from './copy-store.js';
import { StaleCopy } from './stale-copy.js';

const HOUR = 3_600_000;

function copy(bytes = 10, madeMs = 0) {
  const lifetime = { isPublic: false, ageMs: 0, freshMs: 0, staleMs: 60_000 };
  return new StaleCopy(new Map(), Buffer.alloc(bytes), lifetime, madeMs, 0);
}

describe('CopyStore', () => {
  it('finds what was put', () => {
    const store = new CopyStore(10, 1e6);
    const one = copy();
    expect(store.put('a', [], {}, one)).toBe(true);
    expect(store.find('a', { accept: 'anything' }, 0)).toBe(one);
    expect(store.find('b', {}, 0)).toBeUndefined();
    const two = copy();
    store.put('a', [], {}, two);
    expect(store.find('a', {}, 0)).toBe(two);
    expect(store.size).toBe(1);
  });

  it('tells variants apart', () => {
    const store = new CopyStore(10, 1e6);
    const json = copy();
    const html = copy();
    store.put('a', ['accept'], { accept: 'json' }, json);
    store.put('a', ['accept'], { accept: 'html' }, html);
    expect(store.find('a', { accept: 'json' }, 0)).toBe(json);
    expect(store.find('a', { accept: 'html', origin: 'x' }, 0)).toBe(html);
    expect(store.find('a', {}, 0)).toBeUndefined();
    expect(store.size).toBe(3);
  });

  it('goes on telling apart by what once mattered', () => {
    const store = new CopyStore(10, 1e6);
    const first = copy();
    store.put('a', [], {}, first);
    store.put('a', ['origin'], { origin: 'x' }, copy());
    // What came before was for all; it is not found any more.
    expect(store.find('a', {}, 0)).toBeUndefined();
    const silent = copy();
    store.put('a', [], { origin: 'y' }, silent);
    expect(store.find('a', { origin: 'y' }, 0)).toBe(silent);
    expect(store.find('a', { origin: 'z' }, 0)).toBeUndefined();
    const both = copy();
    store.put('a', ['accept'], { accept: 'json', origin: 'y' }, both);
    expect(store.find('a', { accept: 'json', origin: 'y' }, 0)).toBe(both);
    expect(store.find('a', { accept: 'json', origin: 'x' }, 0)).toBeUndefined();
  });

  it('keeps nothing that varies by more and more', () => {
    const store = new CopyStore(10, 1e6);
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    expect(store.put('a', names, {}, copy())).toBe(true);
    expect(store.put('a', ['i'], {}, copy())).toBe(false);
    expect(store.find('a', {}, 0)).toBeDefined();
  });

  it('forgets a copy that is past use, alone', () => {
    const store = new CopyStore(10, 1e6);
    store.put('a', ['accept'], { accept: 'json' }, copy(10, 0));
    const later = copy(10, 50_000);
    store.put('a', ['accept'], { accept: 'html' }, later);
    expect(store.find('a', { accept: 'json' }, 60_001)).toBeUndefined();
    expect(store.size).toBe(2);
    expect(store.find('a', { accept: 'html' }, 60_001)).toBe(later);
    expect(store.find('a', { accept: 'html' }, HOUR)).toBeUndefined();
  });

  it('deletes all variants at once', () => {
    const store = new CopyStore(10, 1e6);
    store.put('a', ['accept'], { accept: 'json' }, copy());
    expect(store.delete('a')).toBe(true);
    expect(store.delete('a')).toBe(false);
    expect(store.find('a', { accept: 'json' }, 0)).toBeUndefined();
  });

  it('drops the least recently used', () => {
    const store = new CopyStore(2, 1e6);
    store.put('a', [], {}, copy());
    store.put('b', [], {}, copy());
    store.find('a', {}, 0);
    store.put('c', [], {}, copy());
    expect([store.find('a', {}, 0), store.find('b', {}, 0)]).toEqual([expect.anything(), undefined]);
  });

  it('keeps nothing that is larger than all its room', () => {
    const store = new CopyStore(10, 5_000);
    store.put('a', [], {}, copy());
    expect(store.put('a', [], {}, copy(5_000))).toBe(false);
    expect(store.find('a', {}, 0)).toBeUndefined();
  });

  it('counts keys', () => {
    const taken = (key: string) => {
      const store = new CopyStore(10, 1e6);
      store.put(key, [], {}, copy());
      return store.bytes;
    };
    expect(taken('a'.repeat(1_000)) - taken('a')).toBe(999);
  });

  it('never takes more than it may, keys included', () => {
    const put = fc.record({
      key: fc.stringMatching(/^[a-z]{1,3}$/),
      bytes: fc.nat(3_000),
      vary: fc.boolean(),
      accept: fc.nat(3),
    });
    fc.assert(
      fc.property(fc.array(put, { maxLength: 30 }), (puts) => {
        const store = new CopyStore(5, 10_000);
        for (const { key, bytes, vary, accept } of puts) {
          store.put(key.repeat(100), vary ? ['accept'] : [], { accept: String(accept) }, copy(bytes));
          expect(store.size).toBeLessThanOrEqual(5);
          expect(store.bytes).toBeLessThanOrEqual(10_000);
          expect(store.bytes).toBeGreaterThanOrEqual(store.size * 100);
        }
      }),
    );
  });
});
