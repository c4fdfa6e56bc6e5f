import { describe, expect, it } from 'vitest';
import { lifetimeOf, variedBy } from './storable.js';

const MINUTE = 60_000;
const NOON = Date.parse('2026-03-01T12:00:00Z');

function head(headers: Record<string, string>) {
  return new Map(Object.entries(headers).map(([name, value]) => [name, [value]]));
}

function lifetime(headers: Record<string, string>) {
  return lifetimeOf(head(headers), MINUTE, NOON);
}

function control(text: string) {
  return lifetime({ 'cache-control': text });
}

describe('lifetimeOf', () => {
  it('takes an answer that says nothing as stale at once, and as nobody’s but not public', () => {
    expect(lifetime({})).toEqual({ isPublic: false, ageMs: 0, freshMs: 0, staleMs: MINUTE });
    expect(control('public')).toEqual({ isPublic: true, ageMs: 0, freshMs: 0, staleMs: MINUTE });
  });

  it.each([
    ['no-store'],
    ['private'],
    ['private="x-user"'],
    ['no-cache'],
    ['max-age=60, No-Store'],
    ['public, private'],
    ['must-revalidate'],
    ['max-age=0, proxy-revalidate'],
    ['s-maxage=0'],
    ['stale-if-error=0'],
  ])('keeps nothing that says %s', (text) => {
    expect(control(text)).toBeUndefined();
  });

  it.each([
    ['set-cookie'],
    ['set-cookie2'],
    ['clear-site-data'],
    ['www-authenticate'],
    ['authentication-info'],
    ['content-range'],
    ['trailer'],
  ])('keeps nothing that has %s', (name) => {
    expect(lifetime({ 'cache-control': 'public, max-age=60', [name]: 'x' })).toBeUndefined();
  });

  it('keeps no stream of events', () => {
    expect(lifetime({ 'content-type': 'Text/Event-Stream; charset=utf-8' })).toBeUndefined();
    expect(lifetime({ 'content-type': 'text/html' })).toBeDefined();
  });

  it.each([
    ['max-age=5', 5_000, MINUTE],
    ['max-age=60', MINUTE, MINUTE],
    ['max-age=5, must-revalidate', 5_000, 0],
    ['max-age=5, proxy-revalidate', 5_000, 0],
    ['max-age=5, s-maxage=7', 7_000, 0],
    ['s-maxage=7, stale-if-error=30', 7_000, 30_000],
    ['max-age=5, stale-if-error=30', 5_000, 30_000],
    ['max-age=5, stale-if-error=86400', 5_000, MINUTE],
    ['max-age=5, stale-if-error=30, must-revalidate', 5_000, 0],
    ['max-age=soon', 0, MINUTE],
  ])('%s is fresh for %d ms and usable for another %d', (text, freshMs, staleMs) => {
    expect(control(text)).toMatchObject({ freshMs, staleMs });
  });

  it('reads Expires where there is no max-age', () => {
    const expires = new Date(NOON + 5_000).toUTCString();
    expect(lifetime({ expires })).toMatchObject({ freshMs: 5_000 });
    expect(lifetime({ expires, date: new Date(NOON - 5_000).toUTCString() })).toMatchObject({
      freshMs: 10_000,
    });
    expect(lifetime({ expires, 'cache-control': 'max-age=1' })).toMatchObject({ freshMs: 1_000 });
    expect(lifetime({ expires: '0' })).toMatchObject({ freshMs: 0 });
    expect(lifetime({ expires: 'never' })).toMatchObject({ freshMs: 0 });
  });

  it('knows the age of what was passed on', () => {
    const date = new Date(NOON - 8_000).toUTCString();
    expect(lifetime({ age: '30' })).toMatchObject({ ageMs: 30_000 });
    expect(lifetime({ date })).toMatchObject({ ageMs: 8_000 });
    expect(lifetime({ date, age: '30' })).toMatchObject({ ageMs: 30_000 });
    expect(lifetime({ date: new Date(NOON + 8_000).toUTCString() })).toMatchObject({ ageMs: 0 });
    expect(lifetime({ age: '-30' })).toMatchObject({ ageMs: 0 });
    expect(lifetime({ age: 'old' })).toMatchObject({ ageMs: 0 });
    expect(lifetime({ date: 'yesterday' })).toMatchObject({ ageMs: 0 });
  });
});

describe('variedBy', () => {
  const varied = (headers: Record<string, string>) => variedBy(head(headers));

  it('is what Vary says, in one order', () => {
    expect(varied({})).toEqual([]);
    expect(varied({ vary: 'Origin, accept,ACCEPT' })).toEqual(['accept', 'origin']);
  });

  it('is nobody’s guess with an asterisk, and too much with nine', () => {
    expect(varied({ vary: 'accept, *' })).toBeUndefined();
    expect(varied({ vary: 'a,b,c,d,e,f,g,h' })).toHaveLength(8);
    expect(varied({ vary: 'a,b,c,d,e,f,g,h,i' })).toBeUndefined();
  });

  it('sees that an encoding was chosen', () => {
    expect(varied({ 'content-encoding': 'gzip' })).toEqual(['accept-encoding']);
    expect(varied({ 'content-encoding': 'identity' })).toEqual([]);
    expect(varied({ 'content-encoding': 'br', vary: 'Accept-Encoding' })).toEqual(['accept-encoding']);
  });

  it('sees that an origin was answered', () => {
    expect(varied({ 'access-control-allow-origin': 'https://a.example' })).toEqual(['origin']);
    expect(varied({ 'access-control-allow-origin': '*' })).toEqual([]);
  });
});
