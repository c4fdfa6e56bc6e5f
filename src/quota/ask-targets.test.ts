import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AskTargets, checkUrls } from './ask-targets.js';
import { GRPC_PROTOCOLS, HTTP_PROTOCOLS } from './capacity-address.js';

const [A, B, C] = ['http://a', 'http://b', 'http://c'] as const;

describe('whom to ask', () => {
  it('begins with the one that answered', () => {
    const targets = new AskTargets([A, B, C], HTTP_PROTOCOLS);
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
    const targets = new AskTargets([A, B], HTTP_PROTOCOLS);
    targets.begin();
    expect(targets.next(A, 'http://pod')).toBe('http://pod');
    expect(targets.begin()).toBe('http://pod');
    expect(targets.next('http://pod', undefined)).toBe(A);
    expect(targets.begin()).toBe(A);
  });

  it('does not believe everything', () => {
    const targets = new AskTargets([A], HTTP_PROTOCOLS);
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

  it('follows nobody whose protocol it does not speak', () => {
    const targets = new AskTargets([A], HTTP_PROTOCOLS);
    targets.begin();
    expect(targets.next(A, 'grpc://b:1')).toBeUndefined();
    const other = new AskTargets(['grpc://a:1'], [...HTTP_PROTOCOLS, ...GRPC_PROTOCOLS]);
    other.begin();
    expect(other.next('grpc://a:1', 'grpc://b:1')).toBe('grpc://b:1');
  });

  it('comes to an end, whoever is named', () => {
    const names = fc.array(fc.constantFrom(A, B, C, 'http://d', 'http://e', 'http://f', ''));
    fc.assert(
      fc.property(names, (masters) => {
        const targets = new AskTargets([A, B], HTTP_PROTOCOLS);
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
    expect(checkUrls('url', A, HTTP_PROTOCOLS)).toEqual([A]);
    expect(() => checkUrls('url', undefined, HTTP_PROTOCOLS)).toThrow(
      'url must be an http or https address, got undefined',
    );
    expect(() => checkUrls('url', [], HTTP_PROTOCOLS)).toThrow('url must be 1 to 16 addresses, got 0');
    expect(() => checkUrls('url', [A, 'ftp://a'], HTTP_PROTOCOLS)).toThrow('got ftp://a');
    expect(() => checkUrls('url', [A, A], HTTP_PROTOCOLS)).toThrow('twice');
    expect(() => checkUrls('url', 'http://a/?x', HTTP_PROTOCOLS)).toThrow('url must be');
  });
});
