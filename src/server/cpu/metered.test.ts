import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CpuLedger } from './cpu-ledger.js';
import { CpuMeter } from './cpu-meter.js';
import { metered } from './metered.contract.js';
import { type CpuSink, RequestCpu } from './metered.js';
import { sliceClock } from './slice-clock.js';

const SHEDDABLE = { criticality: 'SHEDDABLE' } as const;

/** A sink that enters everything at once, and what it has seen. */
function setUp() {
  const books = new CpuLedger(10, 10, 0, 0, 0);
  const posted: [ms: number, now: number][] = [];
  const sink: CpuSink = { post: (cpu, now) => void posted.push([cpu.post(0, 1), now]) };
  return { books, posted, cpu: new RequestCpu(metered(SHEDDABLE), books, sink, 3) };
}

describe('RequestCpu', () => {
  it('is posted whenever it has used 5 ms since the last time', () => {
    const { cpu, posted } = setUp();
    cpu.charge(2, 10);
    cpu.charge(2.5, 20);
    expect(posted).toEqual([]);
    cpu.charge(0.5, 30);
    cpu.charge(4.5, 40);
    expect(posted).toEqual([[5, 30]]);
    cpu.charge(7, 50);
    expect(posted).toEqual([
      [5, 30],
      [11.5, 50],
    ]);
    expect(cpu.busyMs).toBe(16.5);
  });

  it('is posted with every slice once it is finished, however short', () => {
    const { cpu, posted } = setUp();
    cpu.charge(1, 10);
    cpu.isFinished = true;
    cpu.charge(0.5, 20);
    cpu.charge(0.25, 30);
    cpu.charge(0, 40);
    expect(posted).toEqual([
      [1.5, 20],
      [0.25, 30],
      [0, 40],
    ]);
    expect(cpu.busyMs).toBe(1.75);
  });

  it('enters the same into the accounts of its route, its customer and its criticality', () => {
    const { cpu, books } = setUp();
    cpu.charge(4, 10);
    expect(cpu.post(1, 0.5)).toBe(2);
    books.settle(100, 0, 0.5, 1_000);
    const { byRoute, byCustomer, byCriticality } = books.totals(1);
    expect([byRoute, byCustomer, byCriticality].map((totals) => totals.at(-1))).toEqual([
      { name: '/a', requests: 1, totalMs: 2, msPerSecond: 2 },
      { name: 'mail', requests: 1, totalMs: 2, msPerSecond: 2 },
      { name: 'SHEDDABLE', requests: 1, totalMs: 2, msPerSecond: 2 },
    ]);
  });

  it('enters nothing twice', () => {
    const { cpu, books } = setUp();
    cpu.charge(4, 10);
    cpu.post(0, 1);
    expect(cpu.post(1, 1)).toBe(0);
    books.settle(100, 0, 1, 1_000);
    expect(books.totals(1).byRoute.at(-1)).toMatchObject({ requests: 1, totalMs: 4 });
  });

  it('is worth what was read of it, and the rest as much as a busy millisecond', () => {
    const { cpu, books, posted } = setUp();
    cpu.charge(2, 10);
    cpu.chargeRead(2.5, 20);
    expect([cpu.cpuMs(0.5), cpu.busyMs, cpu.readMs]).toEqual([3.5, 2, 2.5]);
    cpu.chargeRead(0.5, 30);
    expect(posted).toEqual([[5, 30]]);
    books.settle(100, 0, 0.5, 1_000);
    expect(books.totals(1).byCustomer.at(-1)).toMatchObject({ totalMs: 4 });
  });

  it('tells everything once', () => {
    const { cpu } = setUp();
    cpu.charge(2, 10);
    cpu.chargeRead(3, 10);
    expect(cpu.tell(0.5)).toBe(4);
    // What a busy millisecond is worth by now changes nothing about what was told.
    expect(cpu.tell(0.8)).toBe(0);
    cpu.charge(1, 20);
    expect(cpu.tell(0.8)).toBeCloseTo(0.8, 9);
  });

  it('knows its route and its window', () => {
    const { cpu } = setUp();
    expect([cpu.route, cpu.window, cpu.isFinished, cpu.settledAtMs]).toEqual(['/a', 3, false, undefined]);
  });
});

describe('RequestCpu after its end', () => {
  let meter: CpuMeter;
  let startedMs: number;
  beforeEach(() => {
    meter = new CpuMeter(() => 0.5, { mode: 'exact' });
    meter.start();
    startedMs = performance.now();
  });
  afterEach(() => meter.stop());

  const booked = () => {
    meter.tick(startedMs + 60_000, { user: 1e12, system: 0 });
    return meter.totals().byRoute.at(-1);
  };

  it('is posted when its slice ends, if it finishes while it runs', () => {
    const request = metered(SHEDDABLE);
    meter.run(request, () => meter.finish(request), 0, 0);
    expect(request.cpu!.settledAtMs).toBeUndefined();
    sliceClock.switchTo(undefined);
    expect(request.cpu!.settledAtMs).toBeDefined();
    expect(request.cpu!.busyMs).toBeGreaterThanOrEqual(request.cpuMs);
    expect(booked()).toMatchObject({ requests: 1, totalMs: request.cpu!.busyMs });
  });

  it('is charged for 30 s what it still does; that raises the mean of its route and is no other request', () => {
    const request = metered(SHEDDABLE);
    meter.run(request, () => {}, 0, 0);
    sliceClock.switchTo(undefined);
    meter.finish(request);
    const { settledAtMs } = request.cpu!;
    // Not to the last bit: sums of such times are rounded.
    request.cpu!.charge(4, settledAtMs! + 29_999);
    const { busyMs } = request.cpu!;
    request.cpu!.charge(8, settledAtMs! + 30_001);
    expect(request.cpu!.settledAtMs).toBe(settledAtMs);
    expect(meter.expectedMs('/a')).toBeCloseTo(busyMs, 9);
    expect(booked()).toMatchObject({ requests: 1, totalMs: expect.closeTo(busyMs, 9) });
  });
});

describe('what comes after the end', () => {
  it('is told to whoever pays, for 30 s', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const meter = new CpuMeter(() => 0.5, { mode: 'exact', machineFactor: 2 });
    meter.start();
    const request = metered({});
    meter.run(request, () => {}, undefined, undefined);
    sliceClock.switchTo(undefined);
    const { scale } = meter.totals();
    const late: number[] = [];
    meter.finish(request);
    const cpu = request.cpu!;
    cpu.onLate = ({ customer }, cpuMs) => customer === 'mail' && late.push(cpuMs);
    cpu.charge(5, performance.now());
    cpu.charge(3, performance.now());
    vi.advanceTimersByTime(30_001);
    cpu.charge(5, performance.now());
    expect(late).toEqual([5 * 2 * scale, 3 * 2 * scale]);
    meter.stop();
    vi.useRealTimers();
  });
});
