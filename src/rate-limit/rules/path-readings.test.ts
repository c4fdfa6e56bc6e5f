import { describe, expect, it } from 'vitest';
import { readingsOf } from './path-readings.js';

const texts = (path: string) => [...new Set(readingsOf(path)?.map((parts) => parts.join('|')))];

describe('readingsOf', () => {
  it('has one of what all read alike', () => {
    expect(texts('/')).toEqual(['']);
    expect(texts('/A/b.c/')).toEqual(['a|b.c']);
  });

  it('has each that somebody may take it for', () => {
    expect(texts('/a;b/c')).toEqual(['a;b|c', 'a|c', 'a']);
    expect(texts('/x/%2e%2e/a%2fb').sort()).toEqual(['a/b', 'a|b', 'x|..|a/b', 'x|..|a|b']);
    expect(texts('http://host/a')).toEqual(['http:|host|a', 'a']);
  });

  it('leaves alone what is no letter', () => {
    expect(texts('/%ff%zz%c3%28')).toEqual(['%ff%zz%c3(']);
    expect(texts('/%ed%a0%80')).toEqual(['%ed%a0%80']);
  });

  it('gives up on what has too many', () => {
    expect(readingsOf(`/%20${'a'.repeat(2_044)}`)).toHaveLength(2);
    expect(readingsOf(`/%20${'a'.repeat(2_045)}`)).toBeUndefined();
    expect(readingsOf(`/%${'25'.repeat(20)}61`)).toHaveLength(22);
    expect(readingsOf(`/%${'25'.repeat(40)}61`)).toBeUndefined();
  });

  it('says the same however often it is asked', () => {
    const first = readingsOf('/a;b');
    readingsOf('/c');
    expect(readingsOf('/a;b')).toEqual(first);
  });
});
