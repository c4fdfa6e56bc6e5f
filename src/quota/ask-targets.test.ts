import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AskTargets, checkUrls } from './ask-targets.js';

const [A, B, C] = ['http://a', 'http://b', 'http://c'] as const;

describe('whom to ask', () => {
  it('begins with the one that answered', () => {
    const targets = new AskTargets([A, B, C]);
    expect(targets.begin()).toBe(A);
    expect(targets.next(A, undefined)).toBe(B);
    targets.answered(B);
    expect(targets.begin()).toBe(B);
    expect(targets.next(B, undefined)).toBe(A);
    expect(targets.next(A, undefined)).toBe(C);
    expect(targets.next(C, undefined)).toBeUndefined();
    expect(targets.begin()).toBe(A);
  });

  it('goes to the master that was named, also if it is not of the list', () => {
    const targets = new AskTargets([A, B]);
    targets.begin();
    expect(targets.next(A, 'http://pod')).toBe('http://pod');
    expect(targets.begin()).toBe('http://pod');
    expect(targets.next('http://pod', undefined)).toBe(A);
    expect(targets.begin()).toBe(A);
  });

  it('does not believe everything', () => {
    const targets = new AskTargets([A]);
    for (const master of [
      '',
      'x',
      'file:///etc',
      'http://\u00e4',
      'http://b\r\nx: y',
      A,
      `http://${'x'.repeat(2_000)}`,
      7,
    ]) {
      targets.begin();
      expect(targets.next(A, master)).toBeUndefined();
    }
  });

  it('comes to an end, whoever is named', () => {
    const names = fc.array(fc.constantFrom(A, B, C, 'http://d', 'http://e', 'http://f', ''));
    fc.assert(
      fc.property(names, (masters) => {
        const targets = new AskTargets([A, B]);
        const asked = [targets.begin()];
        for (const master of [...masters, ...Array(9).fill('')]) {
          const next = targets.next(asked.at(-1)!, master);
          if (next === undefined) break;
          asked.push(next);
        }
        expect(new Set(asked).size).toBe(asked.length);
        expect(asked.length).toBeLessThanOrEqual(5);
      }),
    );
  });
});

describe('addresses', () => {
  it('are checked', () => {
    expect(checkUrls('url', A)).toEqual([A]);
    expect(() => checkUrls('url', undefined)).toThrow('url must be an http or https address, got undefined');
    expect(() => checkUrls('url', [])).toThrow('url must be 1 to 16 addresses, got 0');
    expect(() => checkUrls('url', [A, 'ftp://a'])).toThrow('got ftp://a');
    expect(() => checkUrls('url', [A, A])).toThrow('twice');
    expect(() => checkUrls('url', 'http://a/?x')).toThrow('url must be');
  });
});
