import { describe, expect, it } from 'vitest';
import { keepToken, type TokenPlace, takeToken } from './token.js';

function placeAt(hash: string) {
  const kept = new Map<string, string>();
  const shown: string[] = [];
  const place: TokenPlace = {
    location: { hash, pathname: '/dashboard/', search: '' },
    history: { replaceState: (_data, _unused, url) => shown.push(url) },
    sessionStorage: {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
    },
  };
  return { place, shown };
}

describe('a token', () => {
  it('is taken from the fragment, out of sight, and kept', () => {
    const { place, shown } = placeAt('#token=a%2Bb');
    expect(takeToken(place)).toBe('a+b');
    expect(shown).toEqual(['/dashboard/']);
    expect(takeToken({ ...place, location: { ...place.location, hash: '' } })).toBe('a+b');
  });

  it('keeps its plus signs, however they are written', () => {
    expect(takeToken(placeAt('#token=a+b/c==').place)).toBe('a+b/c==');
  });

  it('is not there for whoever has none, whatever else the fragment says', () => {
    const { place, shown } = placeAt('#/simulator?scenario=x');
    expect(takeToken(place)).toBeUndefined();
    expect(shown).toEqual([]);
  });

  it('is kept when it was typed', () => {
    const { place } = placeAt('');
    keepToken('typed', place);
    expect(takeToken(place)).toBe('typed');
  });
});
