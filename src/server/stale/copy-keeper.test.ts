import { describe, expect, it } from 'vitest';
import { CopyKeeper } from './copy-keeper.js';
import { CopyStore } from './copy-store.js';
import { exchange, type RequestParts } from './exchange.contract.js';
import { type StaleOptions, staleOptions } from './stale-options.js';

function keeping(options: Partial<StaleOptions> = {}) {
  const store = new CopyStore(100, 1e6);
  const clock = { now: 5_000 };
  const keeper = new CopyKeeper(staleOptions(options), store, {
    monotonicMs: () => clock.now,
    wallMs: () => clock.now,
  });
  /** The plan for an answer with these headers. */
  const plan = (headers: Record<string, string> = {}, parts: RequestParts = {}, status = 200) => {
    const { req, res } = exchange(parts);
    res.writeHead(status, headers);
    return { req, planned: keeper.plan(req, res, [status, headers]) };
  };
  const keep = (headers: Record<string, string> = {}, parts: RequestParts = {}, body = 'body') => {
    const { req, planned } = plan(headers, parts);
    if (planned !== undefined) keeper.keep(planned, Buffer.from(body), req);
    return planned;
  };
  return { store, clock, keeper, plan, keep };
}

describe('CopyKeeper.plan', () => {
  it('wants answers that may be kept', () => {
    const { plan } = keeping();
    expect(plan({ vary: 'accept', 'cache-control': 'max-age=5' }).planned).toMatchObject({
      lifetime: { freshMs: 5_000, staleMs: 60_000 },
      variedBy: ['accept'],
      nowMs: 5_000,
      wallMs: 5_000,
    });
  });

  it.each([[201], [204], [206], [301], [304], [404], [500], [503]])('wants none of status %d', (status) => {
    expect(keeping().plan({}, {}, status).planned).toBeUndefined();
  });

  it.each<[string, Record<string, string>, RequestParts]>([
    ['that forbids it', { 'cache-control': 'no-store' }, {}],
    ['that varies by anything', { vary: '*' }, {}],
    ['to who forbids it', {}, { headers: { 'cache-control': 'no-store' } }],
    ['for part of something', {}, { headers: { range: 'bytes=0-1' } }],
    ['to who said who they are', {}, { headers: { cookie: 'session=1' } }],
    ['to who is authorized', { 'cache-control': 'max-age=5' }, { headers: { authorization: 'Bearer x' } }],
  ])('wants none %s', (_, headers, parts) => {
    expect(keeping().plan(headers, parts).planned).toBeUndefined();
  });

  it('wants public ones whoever asked, and the newest when a reload is forced', () => {
    const { plan } = keeping();
    expect(
      plan({ 'cache-control': 'public' }, { headers: { authorization: 'Bearer x' } }).planned,
    ).toBeDefined();
    expect(plan({}, { headers: { 'cache-control': 'no-cache' } }).planned).toBeDefined();
  });

  it('wants no new copy while one is young, of this variant', () => {
    const { clock, keep } = keeping();
    const json = { headers: { accept: 'json' } };
    expect(keep({ vary: 'accept' }, json)).toBeDefined();
    clock.now += 999;
    expect(keep({ vary: 'accept' }, json)).toBeUndefined();
    expect(keep({ vary: 'accept' }, { headers: { accept: 'html' } })).toBeDefined();
    clock.now += 1;
    expect(keep({ vary: 'accept' }, json)).toBeDefined();
    clock.now += 3_600_000;
    expect(keep({ vary: 'accept' }, json)).toBeDefined();
  });

  it('wants every copy when told to', () => {
    const { keep } = keeping({ refreshMs: 0 });
    expect(keep()).toBeDefined();
    expect(keep()).toBeDefined();
  });
});

describe('CopyKeeper.keep', () => {
  it('counts what is kept and what finds no room', () => {
    const { store, keeper, keep } = keeping();
    const planned = keep({ etag: '"1"' });
    expect(keeper).toMatchObject({ stored: 1, givenUp: 0 });
    const copy = store.find(planned!.key, {}, 5_000)!;
    expect(copy.body.toString()).toBe('body');
    expect(copy.headAt(5_000, 200)).toContain('"1"');
    keeper.keep(planned!, Buffer.alloc(2e6), exchange().req);
    expect(keeper).toMatchObject({ stored: 1, givenUp: 1 });
  });
});

describe('CopyKeeper.reserve', () => {
  it('bounds each answer, and all that are on their way', () => {
    const { keeper } = keeping({ maxBytes: 1_000, maxBodyBytes: 150 });
    expect(keeper.reserve(100, 50)).toBe(true);
    expect(keeper.reserve(100, 51)).toBe(false);
    expect(keeper.reserve(150, 0)).toBe(true);
    // A quarter of all is taken.
    expect(keeper.reserve(1, 0)).toBe(false);
    keeper.release(100);
    expect(keeper.reserve(100, 0)).toBe(true);
    expect(keeper.reserve(1, 0)).toBe(false);
  });
});

describe('CopyKeeper.forget', () => {
  it('drops the copy of what was written, with a body or without', () => {
    const { store, keeper, keep } = keeping();
    keep({}, { url: '/cart' });
    keeper.forget(exchange({ method: 'POST', url: '/other', headers: { 'content-length': '5' } }).req);
    expect([store.size, keeper.forgotten]).toEqual([1, 0]);
    keeper.forget(exchange({ method: 'POST', url: '/cart', headers: { 'content-length': '5' } }).req);
    expect([store.size, keeper.forgotten]).toEqual([0, 1]);
  });

  it.each([[404], [410]])('drops the copy of what turns out to be gone: %d', (status) => {
    const { store, plan, keep } = keeping();
    keep();
    plan({}, {}, status);
    expect(store.size).toBe(0);
  });

  it.each([[304], [401], [403], [500], [503]])('keeps it at a %d', (status) => {
    const { store, plan, keep } = keeping();
    keep();
    plan({}, {}, status);
    expect(store.size).toBe(1);
  });

  it('drops nothing when the user’s part of the key fails', () => {
    let fails = false;
    const partition = () => {
      if (fails) throw new Error('no customer');
      return 'a';
    };
    const { store, keeper, keep } = keeping({ partition });
    keep();
    fails = true;
    keeper.forget(exchange({ method: 'PUT' }).req);
    expect([store.size, keeper.forgotten]).toEqual([1, 0]);
  });
});
