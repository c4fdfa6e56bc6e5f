import { describe, expect, test } from 'vitest';
import { Tally } from './concurrency-limit-tally.js';

const came = (now: number, inFlight: number) => ({ now, inFlight, isDone: false, latencyMs: 0 });
const done = (now: number, inFlight: number, latencyMs: number) => ({
  now,
  inFlight,
  isDone: true,
  latencyMs,
});

/** Two in flight for 10 ms, of which one is done then, and the other 30 ms later. */
function twoRequests(): Tally {
  const tally = new Tally();
  tally.add(0, came(4, 2));
  tally.add(4, done(10, 2, 12));
  tally.add(10, done(40, 1, 44));
  return tally;
}

describe('Tally', () => {
  test('adds up pieces of time', () => {
    const tally = twoRequests();
    expect(tally.ms).toBe(40);
    expect(tally.done).toBe(2);
    expect(tally.throughput).toBe(2 / 40);
    expect(tally.meanInFlight).toBe(50 / 40);
    expect(tally.latencyMs).toBe(28);
  });

  test("Little's law: what is in flight = throughput × stay", () => {
    const tally = twoRequests();
    expect(tally.stayMs).toBe(25);
    expect(tally.throughput * tally.stayMs).toBe(tally.meanInFlight);
  });

  test('one that never ends counts in the stay with the place it takes, not in the latency', () => {
    const tally = new Tally();
    for (let ms = 0; ms < 100; ms += 10) tally.add(ms, done(ms + 10, 2, 10));
    expect(tally.stayMs).toBe(20);
    expect(tally.latencyMs).toBe(10);
  });

  test('adds another to itself', () => {
    const sum = twoRequests();
    sum.addAll(twoRequests());
    expect(sum.ms).toBe(80);
    expect(sum.done).toBe(4);
    expect(sum.stayMs).toBe(25);
    expect(sum.latencyMs).toBe(28);
  });

  test('is as new when cleared', () => {
    const tally = twoRequests();
    tally.clear();
    expect(tally.ms).toBe(0);
    tally.add(100, done(110, 3, 7));
    expect(tally.done).toBe(1);
    expect(tally.stayMs).toBe(30);
    expect(tally.latencyMs).toBe(7);
  });

  test('time does not go back', () => {
    const tally = twoRequests();
    tally.add(40, came(30, 5));
    expect(tally.ms).toBe(40);
    expect(tally.stayMs).toBe(25);
  });
});
