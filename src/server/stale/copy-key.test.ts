import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyWishOf, hasCredentials, keyOf, targetKeyOf, variantKeyOf } from './copy-key.js';
import { exchange, type RequestParts } from './exchange.contract.js';
import { STALE_DEFAULTS } from './stale-options.js';

function request(parts: RequestParts = {}, socket: object = {}): IncomingMessage {
  return Object.assign(exchange(parts).req, { socket });
}

const keyed = (parts: RequestParts, socket?: object) => keyOf(request(parts, socket), STALE_DEFAULTS);

describe('keyOf', () => {
  const plain = keyed({ url: '/a?b=1' });

  it('is the same for the same target', () => {
    expect(plain).toBeDefined();
    expect(keyed({ url: '/a?b=1', headers: { 'user-agent': 'other', host: 'SHOP.example' } })).toBe(plain);
    // HEAD is served from what GET got.
    expect(keyed({ url: '/a?b=1', method: 'HEAD' })).toBe(plain);
    expect(keyed({ url: '/a?b=1', headers: { 'content-length': '0' } })).toBe(plain);
  });

  it.each<[string, RequestParts]>([
    ['another path', { url: '/A?b=1' }],
    ['another query', { url: '/a?b=2' }],
    ['another spelling', { url: '/%61?b=1' }],
    ['another host', { url: '/a?b=1', headers: { host: 'evil.example' } }],
    ['a forged host', { url: '/a?b=1', headers: { 'x-forwarded-host': 'evil.example' } }],
    ['a forged scheme', { url: '/a?b=1', headers: { 'x-forwarded-proto': 'http' } }],
    ['an empty one', { url: '/a?b=1', headers: { 'x-forwarded-proto': '' } }],
    ['a forwarded host', { url: '/a?b=1', headers: { forwarded: 'for=1.2.3.4;host=evil.example' } }],
  ])('is another for %s', (_, parts) => {
    expect(keyed(parts)).toBeDefined();
    expect(keyed(parts)).not.toBe(plain);
  });

  it.each([
    ['x-forwarded-host'],
    ['x-forwarded-proto'],
    ['x-forwarded-scheme'],
    ['x-forwarded-port'],
    ['x-forwarded-prefix'],
    ['x-forwarded-server'],
    ['x-host'],
    ['x-original-host'],
  ])('is another with %s', (name) => {
    expect(keyed({ url: '/a?b=1', headers: { [name]: 'evil.example' } })).not.toBe(plain);
  });

  it('is another over TLS', () => {
    expect(keyed({ url: '/a?b=1' }, { encrypted: true })).not.toBe(plain);
  });

  it('does not depend on who sent it and through whom', () => {
    const from = (forwarded: string) => keyed({ headers: { forwarded } });
    expect(from('for=1.2.3.4;Host=a;by=x')).toBe(from('For="[::1]";host=a;BY=y'));
    expect(from('for=1.2.3.4, for=2')).not.toBe(from('for=1.2.3.4;proto=https, for=2'));
  });

  it.each([
    ['content-length', '3'],
    ['transfer-encoding', 'chunked'],
    ['range', 'bytes=0-1'],
    ['if-range', '"a"'],
    ['if-match', '"a"'],
    ['if-unmodified-since', 'Sun, 01 Mar 2026 12:00:00 GMT'],
    ['x-http-method-override', 'DELETE'],
    ['x-http-method', 'DELETE'],
    ['x-method-override', 'DELETE'],
    ['x-original-url', '/admin'],
    ['x-rewrite-url', '/admin'],
    ['upgrade', 'websocket'],
  ])('is unknown with %s', (name, value) => {
    expect(keyed({ headers: { [name]: value } })).toBeUndefined();
    // What is written is known all the same.
    expect(targetKeyOf(request({ headers: { [name]: value } }), STALE_DEFAULTS)).toBeDefined();
  });

  it('has the user’s part in it', () => {
    const of = (partition: (req: IncomingMessage) => string) =>
      keyOf(request(), { ...STALE_DEFAULTS, partition });
    expect(of(() => 'a')).not.toBe(of(() => 'b'));
    expect(of(() => 'a')).toBe(of(() => 'a'));
    expect(of((req) => req.headers.host!)).toContain('shop.example');
  });

  it('is unknown when the user’s part fails', () => {
    const broken = () => {
      throw new Error('no customer');
    };
    expect(keyOf(request(), { ...STALE_DEFAULTS, partition: broken })).toBeUndefined();
    const missing = (() => undefined) as unknown as () => string;
    expect(keyOf(request(), { ...STALE_DEFAULTS, partition: missing })).toBeUndefined();
  });

  it('is different whenever any part is, variants included', () => {
    const value = fc.stringMatching(/^[ -~]{0,3}$/);
    const header = fc.option(value, { nil: undefined });
    const parts = fc.record({
      url: value,
      host: value,
      forwardedHost: header,
      accept: header,
      partition: fc.string(),
    });
    type Parts = typeof parts extends fc.Arbitrary<infer T> ? T : never;
    const keyFor = ({ url, host, forwardedHost, accept, partition }: Parts) => {
      const headers = {
        host,
        ...(forwardedHost === undefined ? {} : { 'x-forwarded-host': forwardedHost }),
        ...(accept === undefined ? {} : { accept }),
      };
      const key = keyOf(request({ url, headers }), { ...STALE_DEFAULTS, partition: () => partition });
      return variantKeyOf(key!, ['accept'], headers);
    };
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        const isSame =
          JSON.stringify({ ...a, host: a.host.toLowerCase() }) ===
          JSON.stringify({ ...b, host: b.host.toLowerCase() });
        expect(keyFor(a) === keyFor(b)).toBe(isSame);
        expect(keyFor(a)).toBe(keyFor({ ...a }));
      }),
    );
  });

  it('needs no host', () => {
    const req = request();
    delete req.headers.host;
    expect(keyOf(req, STALE_DEFAULTS)).toBeDefined();
  });
});

describe('variantKeyOf', () => {
  it('differs by the headers it is told of, absent ones from empty ones', () => {
    const of = (headers: Record<string, string>) => variantKeyOf('key', ['accept', 'origin'], headers);
    expect(of({ accept: 'a' })).toBe(of({ accept: 'a', cookie: 'c' }));
    expect(of({ accept: 'a' })).not.toBe(of({ accept: 'b' }));
    expect(of({ accept: 'a' })).not.toBe(of({ origin: 'a' }));
    expect(of({})).not.toBe(of({ accept: '' }));
    expect(of({})).not.toBe('key');
  });
});

describe('hasCredentials', () => {
  const has = (headers: Record<string, string>, socket?: object) =>
    hasCredentials(request({ headers }, socket), STALE_DEFAULTS);

  it.each([
    ['authorization'],
    ['proxy-authorization'],
    ['cookie'],
    ['x-api-key'],
    ['x-auth-token'],
    ['x-access-token'],
    ['x-csrf-token'],
    ['x-plimsoll-customer'],
  ])('sees %s', (name) => {
    expect(has({ [name]: 'x' })).toBe(true);
  });

  it('sees a certificate, and none where there is none', () => {
    expect(has({}, { encrypted: true, authorized: true })).toBe(true);
    expect(has({}, { encrypted: true, authorized: false })).toBe(false);
    expect(has({ accept: '*/*' })).toBe(false);
  });
});

describe('copyWishOf', () => {
  it.each([
    [undefined, 'any'],
    ['max-age=0', 'any'],
    ['no-cache', 'not-now'],
    ['no-cache, no-store', 'never'],
    ['No-Store', 'never'],
  ])('of %s is %s', (text, wish) => {
    expect(copyWishOf(request(text === undefined ? {} : { headers: { 'cache-control': text } }))).toBe(wish);
  });
});
