import { describe, expect, it } from 'vitest';
import type { ServerDatagram } from '../../wire/index.js';
import { HEALTH_DEFAULTS } from './health-options.js';
import { UdpExchange } from './udp-exchange.js';

const make = () => new UdpExchange(HEALTH_DEFAULTS);

describe('an answer', () => {
  it('is taken once, and only to what was asked', () => {
    const exchange = make();
    exchange.ask(5, 0);
    expect(exchange.answer(4, 1)).toBeUndefined();
    expect(exchange.answer(5, 1)).toBe('current');
    expect(exchange.answer(5, 2)).toBeUndefined();
    expect(exchange.dueMs).toBe(Number.POSITIVE_INFINITY);
  });

  it('is missed after 200 ms, once, and still welcome for two seconds', () => {
    const exchange = make();
    exchange.ask(1, 0);
    exchange.ask(2, 50);
    expect(exchange.dueMs).toBe(200);
    expect(exchange.expire(199)).toBe(0);
    expect(exchange.expire(200)).toBe(1);
    expect(exchange.dueMs).toBe(250);
    expect(exchange.expire(250)).toBe(1);
    expect(exchange.expire(1_000)).toBe(0);
    expect(exchange.answer(1, 1_999)).toBe('current');
    expect(exchange.answer(2, 2_050)).toBeUndefined();
  });

  it('makes those before it no longer missed', () => {
    const exchange = make();
    exchange.ask(1, 0);
    exchange.ask(2, 50);
    exchange.answer(2, 60);
    expect(exchange.expire(1_000)).toBe(0);
    expect(exchange.answer(1, 1_000)).toBe('current');
  });

  it('to what was asked before a push is outdated', () => {
    const exchange = make();
    exchange.ask(1, 10);
    exchange.isNews(push(1), 10);
    exchange.ask(2, 11);
    expect(exchange.answer(1, 12)).toBe('outdated');
    expect(exchange.answer(2, 12)).toBe('current');
  });

  it('is waited for to eight questions at most', () => {
    const exchange = make();
    for (let i = 0; i < 9; i++) exchange.ask(i, 0);
    expect(exchange.answer(0, 1)).toBeUndefined();
    expect(exchange.answer(1, 1)).toBe('current');
  });
});

describe('a cookie', () => {
  it('is kept as a copy, and to be repeated at once when it is new, once a second', () => {
    const exchange = make();
    expect([...exchange.cookie]).toEqual(Array(8).fill(0));
    const told = Buffer.alloc(8, 1);
    expect(exchange.keepCookie(told, 0)).toBe(true);
    told.fill(9);
    expect([...exchange.cookie]).toEqual(Array(8).fill(1));
    expect(exchange.keepCookie(Buffer.alloc(8, 1), 2_000)).toBe(false);
    expect(exchange.keepCookie(Buffer.alloc(8, 2), 2_000)).toBe(true);
    expect(exchange.keepCookie(Buffer.alloc(8, 3), 2_999)).toBe(false);
    expect([...exchange.cookie]).toEqual(Array(8).fill(3));
    expect(exchange.keepCookie(Buffer.alloc(8, 4), 3_000)).toBe(true);
  });
});

function push(sequence: number, cookie = 1): ServerDatagram {
  const ids = { token: Buffer.alloc(16), cookie: Buffer.alloc(8, cookie) };
  return { kind: 'push', ...ids, sequence, state: 'ready', report: {} };
}

describe('a push', () => {
  it('is news once, and not when it is older', () => {
    const exchange = make();
    const news = [3, 3, 2, 4, 3].map((sequence) => exchange.isNews(push(sequence), 0));
    expect(news).toEqual([true, false, false, true, false]);
  });

  it('counts around', () => {
    const exchange = make();
    const news = [0xfffffffe, 0xffffffff, 0, 0xffffffff].map((sequence) =>
      exchange.isNews(push(sequence), 0),
    );
    expect(news).toEqual([true, true, true, false]);
  });

  it('of a server that was started again is news', () => {
    const exchange = make();
    expect(exchange.isNews(push(1, 1), 0)).toBe(true);
    expect(exchange.isNews(push(1, 2), 0)).toBe(true);
    expect(exchange.isNews(push(1, 2), 0)).toBe(false);
  });
});
