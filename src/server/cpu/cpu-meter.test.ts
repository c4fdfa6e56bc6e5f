import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { peekRequest } from '../../context/index.js';
import { CpuMeter } from './cpu-meter.js';
import type { CpuOptions } from './cpu-options.js';
import { metered } from './metered.contract.js';
import type { Metered } from './metered.js';
import { sliceClock } from './slice-clock.js';

/** More than anything here takes, for the process to have used. */
const PLENTY_MS = 1_000_000;

const requestOf = (route = '/a', customer = 'mail') => metered({ route, customer });

const meters: CpuMeter[] = [];

function start(given?: Partial<CpuOptions>): CpuMeter {
  const meter = new CpuMeter(() => 0.5, given);
  meters.push(meter);
  meter.start();
  return meter;
}

/** Open for 50 ms, closed for 50 ms. */
const startHalf = (given?: Partial<CpuOptions>) => start({ mode: 'sampled', duty: 0.5, ...given });

/** Its handler has returned, and has used so much, and whatever the real clock has seen. */
function serve(meter: CpuMeter, request: Metered, busyMs = 0): Metered {
  meter.run(request, () => {}, undefined, undefined);
  sliceClock.switchTo(undefined);
  request.cpu?.charge(busyMs, performance.now());
  return request;
}

const tick = (meter: CpuMeter, now: number, usedMs = PLENTY_MS) =>
  meter.tick(now, { user: usedMs * 1_000, system: 0 });

const named = (totals: readonly { name: string }[], name: string) => totals.find((one) => one.name === name);

/** Whether switches to other code are seen. */
async function isWatching(): Promise<boolean> {
  const before = sliceClock.switches;
  await new Promise((resolve) => setImmediate(resolve));
  return sliceClock.switches > before;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  vi.spyOn(process, 'cpuUsage').mockReturnValue({ user: 0, system: 0 });
});

afterEach(() => {
  for (const meter of meters.splice(0)) meter.stop();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('CpuMeter, exact', () => {
  it('measures every request and enters it into all three books', () => {
    const meter = start({ mode: 'exact' });
    const first = serve(meter, requestOf('/a', 'mail'), 20);
    const second = serve(meter, requestOf('/b', 'mail'), 30);
    expect([meter.finish(first), meter.finish(second)]).toEqual([first.cpu!.busyMs, second.cpu!.busyMs]);
    expect([first.cpuMs >= 20, second.cpuMs >= 30]).toEqual([true, true]);
    tick(meter, 1_000);
    const { byRoute, byCustomer, byCriticality, measuredShare } = meter.totals();
    expect(measuredShare).toBe(1);
    expect(named(byRoute, '/a')).toMatchObject({ requests: 1, totalMs: first.cpuMs });
    expect(named(byRoute, '/b')).toMatchObject({ requests: 1, totalMs: second.cpuMs });
    for (const total of [named(byCustomer, 'mail'), named(byCriticality, 'CRITICAL')]) {
      expect(total).toMatchObject({ requests: 2, totalMs: expect.closeTo(first.cpuMs + second.cpuMs, 9) });
    }
  });

  it('shows requests in flight', () => {
    const meter = start({ mode: 'exact' });
    const { cpu } = serve(meter, requestOf(), 20);
    tick(meter, 1_000);
    expect(named(meter.totals().byRoute, '/a')).toMatchObject({ requests: 0, totalMs: cpu!.busyMs });
  });

  it('counts one that is finished twice once, and answers the same', () => {
    const meter = start({ mode: 'exact' });
    const request = serve(meter, requestOf(), 20);
    const costMs = meter.finish(request);
    expect(meter.finish(request)).toBe(costMs);
    tick(meter, 1_000);
    expect(named(meter.totals().byRoute, '/a')).toMatchObject({ requests: 1, totalMs: costMs });
  });

  it('tells the cost so far, and what it was at the end from then on', () => {
    const meter = start({ mode: 'exact' });
    const request = requestOf();
    const use = () => {
      const before = meter.costOf(request);
      request.cpu!.charge(20, 0);
      expect(meter.costOf(request)).toBeGreaterThanOrEqual(before + 20);
    };
    meter.run(request, use, 0, 0);
    const costMs = meter.finish(request);
    request.cpu!.charge(5, 0);
    expect([meter.costOf(request), request.cpuMs]).toEqual([costMs, costMs]);
  });
});

describe('CpuMeter.tick', () => {
  it('splits what the process used into requests, those of other guards, and overhead', () => {
    const [one, other] = [start({ mode: 'exact' }), start({ mode: 'exact', machineFactor: 2 })];
    const mine = one.finish(serve(one, requestOf(), 20));
    const theirs = other.finish(serve(other, requestOf(), 30)) / 2;
    tick(other, 1_000);
    tick(one, 1_000);
    tick(other, 2_000, 2 * PLENTY_MS);
    expect(one.totals().total).toEqual({
      processMs: PLENTY_MS,
      requestsMs: expect.closeTo(mine, 6),
      otherGuardsMs: expect.closeTo(theirs, 6),
      overheadMs: expect.closeTo(PLENTY_MS - mine - theirs, 6),
    });
    expect(other.totals().total).toEqual({
      processMs: 4 * PLENTY_MS,
      requestsMs: expect.closeTo(2 * theirs, 6),
      otherGuardsMs: expect.closeTo(2 * mine, 6),
      overheadMs: expect.closeTo(4 * PLENTY_MS - 2 * mine - 2 * theirs, 6),
    });
  });

  it('settles about once a second', () => {
    const meter = start({ mode: 'exact' });
    tick(meter, 899);
    expect(meter.totals().total.processMs).toBe(0);
    tick(meter, 1_000);
    expect(meter.totals().total.processMs).toBe(PLENTY_MS);
  });

  // Timers of a second are early at times, when the one before was late: half of the seconds were settled with the next.
  it('settles with each tick of a second, though some come early', () => {
    const meter = start({ mode: 'exact' });
    meter.finish(serve(meter, requestOf(), 20));
    tick(meter, 1_003);
    meter.finish(serve(meter, requestOf(), 20));
    tick(meter, 2_000, 2 * PLENTY_MS);
    expect(meter.totals().total.processMs).toBe(2 * PLENTY_MS);
  });

  // RouteCosts has faded last at -Infinity, so the first fade keeps exp(-Infinity) = 0 of everything: what was learned
  // before the first tick is forgotten with it, and in sampled mode requests cost 0 until the next window.
  it('forgets nothing that was just learned', () => {
    const meter = start({ mode: 'exact' });
    const costMs = meter.finish(serve(meter, requestOf(), 20));
    tick(meter, 1_000);
    expect(meter.expectedMs('/a')).toBeCloseTo(costMs, 6);
  });
});

describe('CpuMeter.run', () => {
  it('passes arguments, the answer and the context, and goes back to the outer request', () => {
    const meter = start({ mode: 'exact' });
    const [outer, inner] = [requestOf('/outer'), requestOf('/inner')];
    const handle = (a: number, b: number) => [a, b, peekRequest(), sliceClock.isRunning(inner.cpu!)];
    const nest = () => {
      const seen = meter.run(inner, handle, 1, 2);
      return [...seen, peekRequest(), sliceClock.isRunning(outer.cpu!)];
    };
    expect(meter.run(outer, nest, 0, 0)).toEqual([1, 2, inner, true, outer, true]);
    expect(peekRequest()).toBeUndefined();
  });

  it('goes back when a handler throws', () => {
    const meter = start({ mode: 'exact' });
    const outer = requestOf();
    const fail = () => expect.unreachable('broken');
    const failing = () => {
      expect(() => meter.run(requestOf('/b'), fail, 0, 0)).toThrow('broken');
      expect(sliceClock.isRunning(outer.cpu!)).toBe(true);
      expect(() => meter.resume(requestOf('/b'), fail, 0, 0)).toThrow('broken');
      expect(sliceClock.isRunning(outer.cpu!)).toBe(true);
    };
    meter.run(outer, failing, 0, 0);
  });
});

describe('CpuMeter, off', () => {
  it('measures nothing: a request costs what its hint says, and nothing without', async () => {
    const meter = start({ mode: 'off', hints: { '/a': 7 } });
    expect([await isWatching(), vi.getTimerCount()]).toEqual([false, 0]);
    const requests = [serve(meter, requestOf('/a')), serve(meter, requestOf('/b'))];
    expect(requests.map(({ cpu }) => cpu)).toEqual([undefined, undefined]);
    expect(requests.map((request) => meter.costOf(request))).toEqual([7, 0]);
    expect(requests.map((request) => meter.finish(request))).toEqual([7, 0]);
    tick(meter, 1_000);
    expect(meter.totals()).toMatchObject({ mode: 'off', measuredShare: 0, total: { requestsMs: 7 } });
  });
});

describe('CpuMeter, sampled', () => {
  it('measures those that begin in a window, and gives others the mean of their route', async () => {
    const meter = startHalf();
    const costs = [20, 40].map((ms) => meter.finish(serve(meter, requestOf(), ms)));
    vi.advanceTimersByTime(50);
    expect(await isWatching()).toBe(false);
    const estimated = serve(meter, requestOf());
    expect(estimated.cpu).toBeUndefined();
    const meanMs = (costs[0]! + costs[1]!) / 2;
    expect(meter.costOf(estimated)).toBeCloseTo(meanMs, 9);
    expect(meter.finish(estimated)).toBeCloseTo(meanMs, 9);
    tick(meter, 1_000);
    expect(meter.totals().measuredShare).toBeCloseTo(2 / 3, 9);
    expect(named(meter.totals().byRoute, '/a')).toMatchObject({
      requests: 3,
      totalMs: expect.closeTo(3 * meanMs, 9),
    });
    vi.advanceTimersByTime(50);
    expect(await isWatching()).toBe(true);
    expect(serve(meter, requestOf()).cpu).toBeDefined();
  });

  it('charges those of a new route what one of them costs that was measured, though it ended later', () => {
    const meter = startHalf();
    meter.finish(serve(meter, requestOf('/cheap'), 1));
    vi.advanceTimersByTime(50);
    const early = [1, 2, 3].map(() => serve(meter, requestOf('/new')));
    for (const request of early) meter.finish(request);
    vi.advanceTimersByTime(0);
    const costMs = meter.finish(serve(meter, requestOf('/new'), 100));
    tick(meter, 1_000);
    expect(named(meter.totals().byRoute, '/new')).toMatchObject({
      requests: 4,
      totalMs: expect.closeTo(4 * costMs, 6),
    });
  });

  it('estimates by the mean of the route, else by the hint, else by the mean of all', () => {
    const meter = startHalf({ hints: { '/a': 3, '/b': 4 } });
    expect(['/a', '/b', '/c'].map((route) => meter.expectedMs(route))).toEqual([3, 4, 0]);
    const costMs = meter.finish(serve(meter, requestOf('/a'), 20));
    expect(['/a', '/b', '/c'].map((route) => meter.expectedMs(route))).toEqual([costMs, 4, costMs]);
  });

  it('follows those that it took in to their end', async () => {
    const meter = startHalf();
    const request = serve(meter, requestOf());
    vi.advanceTimersByTime(50);
    expect(serve(meter, requestOf()).cpu).toBeUndefined();
    vi.advanceTimersByTime(100);
    expect(await isWatching()).toBe(true);
    meter.finish(request);
    vi.advanceTimersByTime(5);
    expect(await isWatching()).toBe(false);
  });

  it('opens a window at once for a route of which nothing is known', async () => {
    const meter = startHalf();
    meter.finish(serve(meter, requestOf('/known')));
    vi.advanceTimersByTime(50);
    meter.finish(serve(meter, requestOf('/known')));
    vi.advanceTimersByTime(0);
    expect(await isWatching()).toBe(false);
    meter.finish(serve(meter, requestOf('/new')));
    vi.advanceTimersByTime(0);
    expect(serve(meter, requestOf('/new')).cpu).toBeDefined();
  });

  // While a window trails, the route is marked as announced (RouteCosts.isNew), but hurry() returns without opening
  // one; nothing asks again, so the route waits for the next window by the clock: up to 10 s.
  it('opens one at once for a route that was first seen while the last window trailed', () => {
    const meter = startHalf();
    const trailing = serve(meter, requestOf('/known'));
    vi.advanceTimersByTime(50);
    meter.finish(serve(meter, requestOf('/new')));
    meter.finish(trailing);
    vi.advanceTimersByTime(5);
    meter.finish(serve(meter, requestOf('/new')));
    vi.advanceTimersByTime(0);
    expect(serve(meter, requestOf('/new')).cpu).toBeDefined();
  });
});

describe('CpuMeter, of a machine that is twice as fast', () => {
  it('tells costs twice as high, but hints, which are normalised already, as they are', () => {
    const meter = start({ mode: 'exact', machineFactor: 2, hints: { '/a': 7 } });
    expect([meter.expectedMs('/a'), meter.expectedMs('/b'), meter.totals().machineFactor]).toEqual([7, 0, 2]);
    const request = serve(meter, requestOf('/b'), 20);
    expect(meter.costOf(request)).toBe(2 * request.cpu!.busyMs);
    expect(meter.finish(request)).toBe(2 * request.cpu!.busyMs);
    expect(meter.expectedMs('/b')).toBe(request.cpuMs);
  });

  // Hints are divided by the factor before they are checked: it says "got -2.5", which nobody has given.
  it('names the hint that was given when it refuses it', () => {
    expect(() => new CpuMeter(() => 0.5, { machineFactor: 2, hints: { '/a': -5 } })).toThrow('got -5');
  });
});

describe('CpuMeter.stop', () => {
  it.each(['exact', 'sampled'] as const)('leaves no hook and no timer: %s', async (mode) => {
    const meter = start({ mode });
    expect([await isWatching(), vi.getTimerCount()]).toEqual([true, mode === 'exact' ? 0 : 1]);
    const request = serve(meter, requestOf(), 20);
    for (let times = 0; times < 2; times++) {
      meter.stop();
      expect([await isWatching(), vi.getTimerCount()]).toEqual([false, 0]);
    }
    expect(meter.finish(request)).toBeGreaterThanOrEqual(20);
    meter.finish(serve(meter, requestOf('/new')));
    expect([await isWatching(), vi.getTimerCount()]).toEqual([false, 0]);
  });

  it('leaves other meters their hooks, and may be followed by a start with new books', async () => {
    const [meter, other] = [start({ mode: 'exact' }), start({ mode: 'exact' })];
    meter.finish(serve(meter, requestOf(), 20));
    meter.stop();
    expect(await isWatching()).toBe(true);
    other.stop();
    expect(await isWatching()).toBe(false);
    meter.start();
    meter.start();
    tick(meter, 1_000);
    expect(meter.totals().total.requestsMs).toBe(0);
    meter.stop();
    expect(await isWatching()).toBe(false);
  });
});
