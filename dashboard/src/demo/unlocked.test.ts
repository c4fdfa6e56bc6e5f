import { expect, it } from 'vitest';
import { isUnlocked, setUnlocked } from './unlocked.js';

function emptyPlace() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

it('is locked until somebody means it, and may be locked again', () => {
  const place = emptyPlace();
  expect(isUnlocked('a', place)).toBe(false);
  setUnlocked('a', true, place);
  expect(isUnlocked('a', place)).toBe(true);
  setUnlocked('a', false, place);
  expect(isUnlocked('a', place)).toBe(false);
});

it('is locked without a token, and with that of another demo', () => {
  const place = emptyPlace();
  setUnlocked('a', true, place);
  expect(isUnlocked(undefined, place)).toBe(false);
  expect(isUnlocked('b', place)).toBe(false);
});
