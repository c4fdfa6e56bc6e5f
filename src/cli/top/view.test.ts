import { describe, expect, it } from 'vitest';
import type { Seen } from './seen.js';
import { viewLines } from './view.js';

const counts = (ended: number, refused: number, failed = 0) => ({
  started: ended,
  degraded: 0,
  ended,
  failed,
  refused,
  left: 0,
});
const reasons = (quota: number) => ({
  'not-ready': 0,
  deadline: 0,
  quota,
  utilization: 0,
  queue: 0,
  evicted: 0,
});

/** A gateway that has answered `times` × 100 requests of each criticality but the least. */
function gateway(times: number): Seen {
  return {
    state: 'ready',
    process: { pid: 7, uptimeMs: 61_000, residentBytes: 104_857_600 },
    guard: {
      why: 'refuses 40 % of SHEDDABLE: queue-pressure is at 0.70 of its target',
      inFlight: 12,
      waiting: 3,
      connections: 40,
      counts: {
        CRITICAL_PLUS: counts(100 * times, 0),
        CRITICAL: counts(100 * times, 50 * times, 10 * times),
        SHEDDABLE_PLUS: counts(100 * times, 100 * times),
        SHEDDABLE: counts(0, 100 * times),
      },
      refusals: {
        CRITICAL_PLUS: reasons(0),
        CRITICAL: reasons(50 * times),
        SHEDDABLE_PLUS: reasons(100 * times),
        SHEDDABLE: reasons(100 * times),
      },
    },
    routes: {
      exports: {
        service: 'fleet',
        requests: 50,
        limited: 5 * times,
        unknown: 0,
        unverified: 0,
        staleServed: 0,
        limits: {
          exports: {
            allowed: 40,
            refused: 10,
            queued: 0,
            undecided: 0,
            busiest: [{ key: 'B', hits: 30, refused: 9 }],
          },
        },
        batch: undefined,
      },
    },
    services: {
      fleet: {
        backends: [10, 2].map((number) => ({
          url: `http://10.0.0.${number}:8080`,
          zone: undefined,
          state: number === 2 ? 'ready' : 'lame-duck',
          active: number,
          connections: 3,
          report: { applicationUtilization: number / 10, requestsPerSecond: 25, latencyMs: 12.34 },
          health: undefined,
          share: 0.5,
          weight: 1.5,
        })),
        throttle: [{ probability: 0.25 }],
        retryBudget: { requests: 100, retries: 3, remaining: 7 },
        counts: {
          outcomes: { answered: 150 * times },
          rejected: { PLIMSOLL_THROTTLED: 20 * times },
          attempts: [100 * times, 4 * times],
        },
      } as never,
    },
    quota: {
      unit: 'requests',
      customers: [
        { customer: 'A', limitPerSecond: null, usedPerSecond: 10, demandPerSecond: 10, refusedPerSecond: 0 },
        { customer: 'B', limitPerSecond: 30, usedPerSecond: 30, demandPerSecond: 300, refusedPerSecond: 270 },
      ] as never,
    },
  };
}

const EVENT = {
  kind: 'backend',
  atMs: 0,
  fields: { backend: 'http://10.0.0.10:8080', before: 'ready', state: 'lame-duck' },
};
const looks = { now: gateway(2), before: gateway(1), elapsedMs: 1_000 };
const text = (width: number) => viewLines(looks, [EVENT], width).join('\n');

describe('viewLines', () => {
  it('says how the gateway is, and why', () => {
    expect(text(120)).toMatch(
      /^READY {3}pid 7, up 1m 1s {3}100 MiB {3}in flight 12, waiting 3 {3}connections 40\nguard refuses 40 % of SHEDDABLE/,
    );
  });

  it('shows what happens in a second, the most critical first', () => {
    expect(text(120)).toMatch(/^CRITICAL_PLUS +100 +100 +0 +0% +0 +0$/m);
    expect(text(120)).toMatch(/^CRITICAL +150 +90 +50 +33% +10 +0$/m);
    expect(text(120)).toMatch(/^all +550 +290 +250 +45% +10 +0$/m);
    expect(text(120)).toContain('refused for  quota 250  throttled 20  rate limit 5');
  });

  it('shows backends in the order of their names', () => {
    expect(text(120)).toContain(
      'service fleet   goodput 150/s   throttle up to 25%   retries 4/s   budget 7   busiest 1.67× mean',
    );
    expect(text(120)).toMatch(
      /^ {2}10\.0\.0\.2:8080 +ready +██░░░░░░░░ +20% +2 +50% +1\.5 +12\.3 ms +25\n {2}10\.0\.0\.10:8080 +lame-duck +██████████ +100% +10/m,
    );
  });

  it('shows customers, limits and what has happened', () => {
    expect(text(120)).toMatch(/^B +30 +30 +300 +270\nA +∞ +10 +10 +0$/m);
    expect(text(120)).toMatch(/^exports +40 +10 {2}B 30 \(−9\)$/m);
    expect(text(120)).toMatch(/backend http:\/\/10\.0\.0\.10:8080 ready → lame-duck$/);
  });

  it.each([40, 80, 120])('keeps to %d columns', (width) => {
    for (const line of text(width).split('\n')) expect(line.length).toBeLessThanOrEqual(width);
    expect(text(width)).toContain('10.0.0.2:8080');
  });

  it('has no rates at the first look', () => {
    const first = viewLines({ now: gateway(1), before: undefined, elapsedMs: 0 }, [], 120).join('\n');
    expect(first).toMatch(/^CRITICAL +– +– +– +– +– +–$/m);
    expect(first).not.toContain('refused for');
  });
});

it('does with a guard alone', () => {
  const seen = {
    guard: { state: 'ready', why: 'refuses nothing', inFlight: 1, waiting: 0, connections: 2 },
  } as Seen;
  expect(viewLines({ now: seen, before: undefined, elapsedMs: 0 }, [], 80)).toEqual([
    'READY   in flight 1, waiting 0   connections 2',
    'guard refuses nothing',
    '',
  ]);
});

it('prints nothing that moves a cursor, whoever has written it', () => {
  const evil = '\u001b[2J\u009b31m\r\n';
  const seen = {
    state: evil,
    guard: { why: evil },
    services: { [evil]: { backends: [{ url: evil, state: evil, active: 0 }] } },
    routes: { [evil]: { limits: { [evil]: { allowed: 1, refused: 0, busiest: [{ key: evil, hits: 1 }] } } } },
    quota: { unit: evil, customers: [{ customer: evil, usedPerSecond: 0 }] },
  } as unknown as Seen;
  const lines = viewLines({ now: seen, before: undefined, elapsedMs: 0 }, [], 120);
  expect(lines.join('')).toContain('?[2J?31m??');
  expect(lines.join('')).not.toMatch(/\p{Cc}/u);
});

it('adds up workers', () => {
  const merged = (times: number): Seen => ({
    primary: { state: 'ready' },
    workers: { '1': gateway(times), '2': gateway(times) },
    total: { guard: { ...gateway(2 * times).guard, inFlight: 24 }, routes: gateway(2 * times).routes! },
  });
  const lines = viewLines({ now: merged(2), before: merged(1), elapsedMs: 1_000 }, [], 120).join('\n');
  expect(lines).toMatch(/^READY {3}2 workers {3}200 MiB {3}in flight 24/);
  expect(lines).toContain('goodput 300/s');
  expect(lines).toMatch(/10\.0\.0\.2:8080 +ready .* 4 +50%/);
  expect(lines).toMatch(/^all +1100 /m);
});
