import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { exchange, type RequestParts } from './exchange.contract.js';
import { StaleCopies } from './stale-copies.js';
import type { StaleOptions } from './stale-options.js';

function copies(options: Partial<StaleOptions> = {}) {
  const clock = { now: 0 };
  const stale = new StaleCopies(options, { monotonicMs: () => clock.now, wallMs: () => clock.now });
  /** Answers in full, as a handler would. */
  const answer = (parts: RequestParts, handler: (res: ServerResponse) => void) => {
    const { req, res } = exchange(parts);
    stale.capture(req, res);
    handler(res);
  };
  /** What is sent from a copy: status, body and head; undefined when there is none. */
  const serve = (parts: RequestParts = {}) => {
    const { req, res } = exchange(parts);
    const sent: unknown[] = [];
    const head: string[] = [];
    Object.assign(res, {
      writeHead: (status: number, flat: string[]) => {
        sent.push(status);
        head.push(...flat);
      },
      end: (body?: Buffer) => void sent.push(body?.toString()),
    });
    return stale.serve(req, res, clock.now) ? { status: sent[0], body: sent[1], head } : undefined;
  };
  return { stale, clock, answer, serve };
}

describe('StaleCopies', () => {
  it('serves what passed, until it is too old', () => {
    const { stale, clock, answer, serve } = copies();
    expect(serve()).toBeUndefined();
    answer({}, (res) => res.end('hello'));
    expect(serve()).toMatchObject({ status: 200, body: 'hello' });
    clock.now = 60_000;
    expect(serve()?.head.slice(-4)).toEqual([
      'age',
      '60',
      'cache-status',
      'plimsoll; hit; ttl=-60; detail=overload',
    ]);
    clock.now = 60_001;
    expect(serve()).toBeUndefined();
    expect(stale.snapshot()).toEqual({
      entries: 0,
      bytes: 0,
      stored: 1,
      givenUp: 0,
      forgotten: 0,
      served: 2,
      missed: 2,
    });
  });

  it('copies no copy that is given where the answer was to be copied', () => {
    const { stale, clock, answer } = copies();
    answer({}, (res) => res.end('hello'));
    clock.now = 2_000;
    answer({}, (res) => expect(stale.serve(exchange().req, res, clock.now)).toBe(true));
    expect(stale.snapshot()).toMatchObject({ stored: 1, served: 1 });
  });

  it('serves HEAD and conditions from what GET got', () => {
    const { answer, serve } = copies();
    answer({}, (res) => res.writeHead(200, { etag: '"1"' }).end('hello'));
    const head = serve({ method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, body: undefined });
    expect(head!.head).toContain('content-length');
    expect(serve({ headers: { 'if-none-match': '"1"' } })).toMatchObject({ status: 304, body: undefined });
    expect(serve({ headers: { 'if-none-match': '"2"' } })).toMatchObject({ status: 200, body: 'hello' });
  });

  it.each<[string, RequestParts]>([
    ['that may change something', { method: 'POST' }],
    ['that asks about options', { method: 'OPTIONS' }],
    ['for part of it', { headers: { range: 'bytes=0-1' } }],
    ['that must be fresh', { headers: { 'cache-control': 'no-cache' } }],
    ['by somebody known', { headers: { cookie: 'session=1' } }],
    ['for something else', { url: '/other' }],
  ])('serves no request %s', (_, parts) => {
    const { answer, serve } = copies();
    answer({}, (res) => res.end('hello'));
    expect(serve(parts)).toBeUndefined();
    expect(serve()).toBeDefined();
  });

  it('serves what is public to anybody', () => {
    const { answer, serve } = copies();
    answer({ headers: { authorization: 'a' } }, (res) =>
      res.writeHead(200, { 'cache-control': 'public' }).end('hello'),
    );
    expect(serve({ headers: { authorization: 'b' } })).toMatchObject({ body: 'hello' });
    expect(serve()).toMatchObject({ body: 'hello' });
  });

  it('serves nothing when something was sent already', () => {
    const { stale, clock, answer } = copies();
    answer({}, (res) => res.end('hello'));
    const { req, res } = exchange();
    res.writeHead(200);
    expect(stale.serve(req, res, clock.now)).toBe(false);
  });

  it('copies no answer to HEAD', () => {
    const { stale, answer } = copies();
    answer({ method: 'HEAD' }, (res) => res.end());
    expect(stale.snapshot()).toMatchObject({ entries: 0, stored: 0 });
  });

  it.each([
    ['POST', 200, false],
    ['PUT', 204, false],
    ['DELETE', 302, false],
    ['POST', 400, true],
    ['POST', 500, true],
    ['OPTIONS', 200, true],
    ['HEAD', 200, true],
  ])('after %s and %d still has its copy: %s', (method, status, isKept) => {
    const { stale, answer, serve } = copies();
    answer({}, (res) => res.end('hello'));
    answer({ method }, (res) => {
      res.writeHead(status);
      res.write('a');
      res.end();
    });
    expect(serve() !== undefined).toBe(isKept);
    expect(stale.snapshot().forgotten).toBe(isKept ? 0 : 1);
  });

  it('does not listen to writes while there is nothing to forget', () => {
    const { stale } = copies();
    const { req, res } = exchange({ method: 'POST' });
    stale.capture(req, res);
    expect(Object.hasOwn(res, 'writeHead')).toBe(false);
  });

  it('runs on the clocks of the process unless given others', () => {
    const stale = new StaleCopies();
    const { req, res } = exchange();
    stale.capture(req, res);
    res.end('hello');
    const other = exchange();
    expect(stale.serve(other.req, other.res, performance.now())).toBe(true);
    expect(Date.parse(headerOf(other.res, 'date')!)).toBeGreaterThan(1.7e12);
    expect(stale.options.serveInsteadOfRefusing).toBe(false);
  });
});

function headerOf(res: ServerResponse, name: string): string | undefined {
  const lines = (res as unknown as { _header: string })._header.split('\r\n');
  return lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
}
