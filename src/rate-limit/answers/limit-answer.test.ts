import { describe, expect, it } from 'vitest';
import { createRateRule } from '../../stores/rate-store.js';
import { limitAnswer } from './limit-answer.js';
import { limitHeaders, type Ruling } from './limit-headers.js';

function ruling(name: string, windowMs: number, decision: Partial<Ruling['decision']>): Ruling {
  return {
    key: 'a',
    rule: createRateRule(name, { algorithm: 'fixed-window', limit: 100, windowMs }),
    decision: { allowed: true, limit: 100, remaining: 50, resetMs: 29_001, retryAfterMs: 0, ...decision },
  };
}

const burst = ruling('burst', 60_000, {});
const daily = ruling('daily', 86_400_000, { remaining: 7, resetMs: 1 });
const over = ruling('burst', 60_000, { allowed: false, remaining: 0, retryAfterMs: 2_100, resetMs: 2_100 });
const never = ruling('bulk', 1_500, {
  allowed: false,
  remaining: 90,
  retryAfterMs: Number.POSITIVE_INFINITY,
});

const object = (flat: readonly string[]) =>
  Object.fromEntries(flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1]]] : [])));

describe('limitHeaders', () => {
  it('says what the rules are and how they stand', () => {
    expect(object(limitHeaders([burst, daily], false))).toEqual({
      'RateLimit-Policy': '"burst";q=100;w=60, "daily";q=100;w=86400',
      RateLimit: '"burst";r=50;t=30, "daily";r=7;t=1',
    });
    expect(limitHeaders([], true)).toEqual([]);
  });

  it('tells the old way of the rule that is met first', () => {
    expect(object(limitHeaders([burst, daily], true))).toMatchObject({
      'X-RateLimit-Limit': '100',
      'X-RateLimit-Remaining': '7',
      'X-RateLimit-Reset': '1',
    });
    expect(object(limitHeaders([daily, never], true))).toMatchObject({ 'X-RateLimit-Remaining': '90' });
    expect(object(limitHeaders([over, daily], true))).toMatchObject({ 'X-RateLimit-Remaining': '0' });
  });
});

describe('limitAnswer', () => {
  it('names the rules that refused, and when to come again', () => {
    const { status, headers, body } = limitAnswer([daily, over], false);
    expect(status).toBe(429);
    expect(object(headers)).toEqual({
      'RateLimit-Policy': '"daily";q=100;w=86400, "burst";q=100;w=60',
      RateLimit: '"burst";r=0;t=3',
      'Retry-After': '3',
      'x-envoy-ratelimited': 'true',
      'Content-Type': 'application/problem+json',
      'Content-Length': String(body.length),
    });
    expect(JSON.parse(body)).toEqual({
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      title: 'Quota exceeded',
      status: 429,
      'violated-policies': ['burst'],
    });
  });

  it('names no time where there is none', () => {
    const headers = object(limitAnswer([never], false).headers);
    expect(headers).toMatchObject({ RateLimit: '"bulk";r=90', 'RateLimit-Policy': '"bulk";q=100' });
    expect(headers).not.toHaveProperty('Retry-After');
  });
});
