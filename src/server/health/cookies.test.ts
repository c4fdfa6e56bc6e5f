import { expect, it } from 'vitest';
import { Cookies } from './cookies.js';

const LIFE_MS = 1_000;

it('takes back what it gave to that address', () => {
  const cookies = new Cookies(LIFE_MS, 0);
  const cookie = cookies.cookieFor('10.0.0.1 7', 0);
  expect(cookie).toHaveLength(8);
  expect(cookies.isValid(cookie, '10.0.0.1 7', 0)).toBe(true);
});

it('takes it from no other address, and no other cookie', () => {
  const cookies = new Cookies(LIFE_MS, 0);
  const cookie = cookies.cookieFor('10.0.0.1 7', 0);
  expect(cookies.isValid(cookie, '10.0.0.1 8', 0)).toBe(false);
  expect(cookies.isValid(cookie, '10.0.0.2 7', 0)).toBe(false);
  expect(cookies.isValid(Buffer.alloc(8), '10.0.0.1 7', 0)).toBe(false);
  expect(new Cookies(LIFE_MS, 0).isValid(cookie, '10.0.0.1 7', 0)).toBe(false);
});

it('takes one for its life at least and twice as long at most', () => {
  const cookies = new Cookies(LIFE_MS, 0);
  const early = cookies.cookieFor('a', 0);
  const late = cookies.cookieFor('a', 999);
  expect(late).toEqual(early);
  expect(cookies.generation(999)).toBe(0);
  expect(cookies.generation(1_000)).toBe(1);
  expect(cookies.cookieFor('a', 1_000)).not.toEqual(early);
  expect(cookies.isValid(late, 'a', 1_999)).toBe(true);
  expect(cookies.isValid(early, 'a', 2_000)).toBe(false);
});

it('after an hour of silence takes none of the old', () => {
  const cookies = new Cookies(LIFE_MS, 0);
  const cookie = cookies.cookieFor('a', 0);
  expect(cookies.isValid(cookie, 'a', 3_600_000)).toBe(false);
  expect(cookies.isValid(cookies.cookieFor('a', 3_600_000), 'a', 3_600_000)).toBe(true);
});
