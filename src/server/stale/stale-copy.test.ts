import { describe, expect, it } from 'vitest';
import { StaleCopy } from './stale-copy.js';

const HOUR = 3_600_000;
const NOON = Date.parse('2026-03-01T12:00:00Z');

/** Made at instant 1,000: fresh for 10 s, usable for another 60. */
function copy(headers: Record<string, string | string[]> = {}, lifetime: object = {}) {
  const head = new Map(Object.entries(headers).map(([name, value]) => [name, [value].flat()]));
  const whole = { isPublic: false, ageMs: 0, freshMs: 10_000, staleMs: 60_000, ...lifetime };
  return new StaleCopy(head, Buffer.from('hello'), whole, 1_000, NOON);
}

function pairs(flat: readonly string[]): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (let i = 0; i < flat.length; i += 2) {
    found[flat[i]!] = [...(found[flat[i]!] ?? []), flat[i + 1]!];
  }
  return found;
}

describe('StaleCopy', () => {
  it('can be used until it is too stale, and not after an hour', () => {
    const at = (now: number) => copy().isUsable(now);
    expect([at(1_000), at(11_000), at(71_000), at(71_001), at(1_000 + HOUR)]).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(copy({}, { ageMs: 5_000 }).isUsable(66_000)).toBe(true);
    expect(copy({}, { ageMs: 5_000 }).isUsable(66_001)).toBe(false);
  });

  it('knows its age, and how long it was kept here', () => {
    const old = copy({}, { ageMs: 5_000 });
    expect([old.ageMs(3_500), old.keptMs(3_500)]).toEqual([7_500, 2_500]);
  });

  it('is sent as it was, with age and what it is', () => {
    const sent = pairs(
      copy({ 'content-type': 'text/plain', link: ['<a>', '<b>'], etag: '"1"' }).headAt(33_900, 200),
    );
    expect(sent).toEqual({
      'content-type': ['text/plain'],
      link: ['<a>', '<b>'],
      etag: ['"1"'],
      date: ['Sun, 01 Mar 2026 12:00:00 GMT'],
      'content-length': ['5'],
      age: ['32'],
      'cache-status': ['plimsoll; hit; ttl=-23; detail=overload'],
    });
  });

  it('says how long it stays fresh', () => {
    expect(pairs(copy().headAt(2_000, 200))['cache-status']).toEqual([
      'plimsoll; hit; ttl=9; detail=overload',
    ]);
  });

  it('comes last among the caches that answer went through, and keeps its date', () => {
    const date = 'Sun, 01 Mar 2026 11:00:00 GMT';
    const sent = pairs(copy({ 'cache-status': ['edge; fwd=miss', 'mid'], date }).headAt(1_000, 200));
    expect(sent['cache-status']).toEqual(['edge; fwd=miss, mid, plimsoll; hit; ttl=10; detail=overload']);
    expect(sent['date']).toEqual([date]);
  });

  it.each([
    ['connection'],
    ['keep-alive'],
    ['transfer-encoding'],
    ['te'],
    ['upgrade'],
    ['proxy-authenticate'],
    ['proxy-connection'],
    ['endpoint-load-metrics'],
    ['x-envoy-immediate-health-check-fail'],
    ['x-request-id'],
    ['x-correlation-id'],
    ['traceparent'],
    ['tracestate'],
    ['server-timing'],
    ['traceresponse'],
  ])('keeps no %s', (name) => {
    expect(pairs(copy({ [name]: 'x' }).headAt(1_000, 200))).not.toHaveProperty(name);
  });

  it('sends its own length and age, whatever was said', () => {
    const sent = pairs(copy({ 'content-length': '999', age: '999' }).headAt(1_000, 200));
    expect(sent).toMatchObject({ 'content-length': ['5'], age: ['0'] });
  });

  it('keeps nothing that belonged to the connection', () => {
    const sent = pairs(copy({ connection: 'close, X-Hop', 'x-hop': 'a', 'x-kept': 'b' }).headAt(1_000, 200));
    expect(sent).not.toHaveProperty('x-hop');
    expect(sent).toHaveProperty('x-kept');
  });

  it('repeats in a 304 what belongs there', () => {
    const said = ['etag', 'vary', 'cache-control', 'content-location', 'expires', 'date'];
    const head = Object.fromEntries(['content-type', ...said].map((name) => [name, `of ${name}`]));
    const sent = pairs(copy(head).headAt(1_000, 304));
    expect(sent).toEqual({
      ...Object.fromEntries(said.map((name) => [name, [`of ${name}`]])),
      age: ['0'],
      'cache-status': ['plimsoll; hit; ttl=10; detail=overload'],
    });
  });

  it.each([
    ['"1"', '"1"', true],
    ['W/"1"', '"1"', true],
    ['"1"', 'W/"1"', true],
    ['"1"', '"0", W/"1"', true],
    ['"1"', '*', true],
    ['"1"', ' * ', true],
    ['"1"', '"2"', false],
    ['"1"', '1', false],
    ['"a,b"', '"a,b"', true],
    [undefined, '"1"', false],
  ])('with tag %s is known to who has %s: %s', (etag, tags, isKnown) => {
    expect(copy(etag === undefined ? {} : { etag }).isKnownTo({ 'if-none-match': tags })).toBe(isKnown);
  });

  it('is known to who has it since it was modified, unless there is a tag to ask about', () => {
    const modified = copy({ 'last-modified': 'Sun, 01 Mar 2026 10:00:00 GMT', etag: '"1"' });
    const since = (time: string, more = {}) => modified.isKnownTo({ 'if-modified-since': time, ...more });
    expect(since('Sun, 01 Mar 2026 10:00:00 GMT')).toBe(true);
    expect(since('Sun, 01 Mar 2026 09:59:59 GMT')).toBe(false);
    expect(since('some day')).toBe(false);
    expect(since('Sun, 01 Mar 2026 10:00:00 GMT', { 'if-none-match': '"2"' })).toBe(false);
    expect(modified.isKnownTo({})).toBe(false);
    expect(copy().isKnownTo({ 'if-modified-since': 'Sun, 01 Mar 2026 10:00:00 GMT' })).toBe(false);
  });

  it('counts what it takes', () => {
    expect(copy({ 'x-long': 'x'.repeat(500) }).bytes - copy({ 'x-long': '' }).bytes).toBe(500);
    expect(copy().bytes).toBeGreaterThan(5);
  });
});
