import { describe, expect, it, vi } from 'vitest';
import { CPU_RATE_DEFAULTS, customSignal, Thresholds, type UtilizationSignal } from '../../core/index.js';
import type { ProcessReadings } from './process-readings.js';
import type { SignalOptions } from './signal-options.js';
import { Utilization } from './utilization.js';

/** A process whose use is set, and that runs for a time. */
class FakeProcess implements ProcessReadings {
  now = 0;
  cpu = 0;
  loop = 0;
  heapShare = 0;
  residentShare = 0;
  found = { processors: 2, memoryBytes: 1_000 };
  #cpuMs = 0;
  #active = 0;

  monotonicMs = () => this.now;
  cpuMs = () => this.#cpuMs;
  loopTime = () => ({ active: this.#active, idle: this.now - this.#active });
  heap = () => ({ usedBytes: this.heapShare * 500, limitBytes: 500 });
  residentBytes = () => this.residentShare * 1_000;
  limits = () => this.found;

  run(utilization: Utilization, ms: number): void {
    for (const until = this.now + ms; this.now < until; this.now += 100) {
      utilization.sampler.poll(this.now);
      this.#cpuMs += this.cpu * 100;
      this.#active += this.loop * 100;
    }
    utilization.sampler.poll(this.now);
  }
}

const queue: UtilizationSignal & { level: number } = {
  name: 'queue-pressure',
  level: 0,
  utilization: () => queue.level,
};

function running(options?: Partial<SignalOptions>, state: Partial<FakeProcess> = {}) {
  const source = Object.assign(new FakeProcess(), state);
  queue.level = 0;
  const utilization = new Utilization(queue, options, source);
  source.run(utilization, 60_000);
  return { source, utilization, now: source.now };
}

const FULL = { cpu: 1.5, loop: 1, heapShare: 0.3, residentShare: 0.5 };

describe('Utilization', () => {
  it('tells the queue how much slower all is than it would be alone, when that is to count', () => {
    const { utilization, now } = running({ mostSlowdown: 8 }, { cpu: 0.2, loop: 0.8 });
    expect(utilization.explain(now).slowdown).toBeCloseTo(4, 6);
    expect((queue as { slowdown?: number }).slowdown).toBeCloseTo(4, 6);
    expect(running({}, { cpu: 0.2, loop: 0.8 }).utilization.explain(now).slowdown).toBeUndefined();
    expect(() => running({ mostSlowdown: 0.5 })).toThrow('signals.mostSlowdown');
  });

  it('refuses by queue time and memory; a full loop alone is no reason', () => {
    const { source, utilization, now } = running({}, FULL);
    expect(utilization.signal.utilization(now)).toBe(0);
    queue.level = 1.1;
    expect(utilization.signal.utilization(now)).toBe(1.1);
    queue.level = 0.2;
    source.residentShare = 0.9;
    source.run(utilization, 60_000);
    expect(utilization.signal.utilization(source.now)).toBeCloseTo(1, 6);
    source.residentShare = 0;
    source.heapShare = 0.75;
    source.run(utilization, 60_000);
    expect(utilization.signal.utilization(source.now)).toBeCloseTo(0.5, 6);
    expect(utilization.signal.explain(source.now).map(({ name }) => name)).toEqual([
      'queue-pressure',
      'heap',
      'resident',
    ]);
  });

  it('refuses by CPU, event loop and executor where they are given a target', () => {
    const cpu = running({ cpu: { target: 0.5 } }, { cpu: 1 });
    expect(cpu.utilization.signal.utilization(cpu.now)).toBeCloseTo(1, 6);
    const loop = running({ eventLoop: { target: 0.8 } }, { loop: 0.4 });
    expect(loop.utilization.signal.utilization(loop.now)).toBeCloseTo(0.5, 6);
    const { utilization, now } = running({ executor: { target: 10 } });
    utilization.executor!.setRunnable(20, now);
    expect(utilization.signal.utilization(now + 60_000)).toBeCloseTo(2, 6);
    expect(utilization.signal.explain(now).map(({ name }) => name)).toContain('executor-load');
  });

  it('reports the fuller one of event loop and CPU as load', () => {
    const busyLoop = running({}, { cpu: 1, loop: 0.9 });
    expect(busyLoop.utilization.load.utilization(busyLoop.now)).toBeCloseTo(0.9, 6);
    const busyThreads = running({}, { cpu: 1.6, loop: 0.1 });
    expect(busyThreads.utilization.load.utilization(busyThreads.now)).toBeCloseTo(0.8, 6);
    expect(busyThreads.utilization.cpuUtilization(busyThreads.now)).toBeCloseTo(0.8, 6);
    const cpuAlone = running({ eventLoop: false }, { cpu: 1, loop: 0.9 });
    expect(cpuAlone.utilization.load.utilization(cpuAlone.now)).toBeCloseTo(0.5, 6);
  });

  it('falls back on the admission signal as load when neither is measured', () => {
    const { utilization, now } = running({ eventLoop: false, cpu: false }, FULL);
    queue.level = 0.7;
    expect(utilization.load.utilization(now)).toBe(0.7);
    expect(utilization.cpuUtilization(now)).toBeUndefined();
  });

  it('follows limits as they are found, and the user’s instead', () => {
    const { source, utilization } = running({}, FULL);
    source.found = { processors: 4, memoryBytes: 600 };
    source.run(utilization, 60_000);
    expect(utilization.explain(source.now)).toMatchObject({ limits: source.found });
    expect(utilization.explain(source.now).cpu).toBeCloseTo(0.375, 6);
    expect(utilization.explain(source.now).resident).toBeCloseTo(500 / 600, 6);
    const own = running({ cpu: { processors: 3 }, memory: { limitBytes: 2_000 } }, FULL);
    const report = own.utilization.explain(own.now);
    expect(report).toMatchObject({ limits: { processors: 3, memoryBytes: 2_000 } });
    expect(report.cpu).toBeCloseTo(0.5, 6);
    expect(report.resident).toBeCloseTo(0.25, 6);
  });

  it('reads memory often where that is cheap, and once a second where it is not', () => {
    const source = new FakeProcess();
    const reads = { heap: 0, resident: 0 };
    const heap = source.heap;
    source.heap = () => {
      reads.heap++;
      return heap();
    };
    source.residentBytes = () => ++reads.resident;
    source.run(new Utilization(queue, {}, source), 9_900);
    expect(reads).toEqual({ heap: 100, resident: 10 });
  });

  it('would give capacity away by CPU: what SIGNAL_DEFAULTS says of it', () => {
    const thresholds = new Thresholds();
    // Twice the load is half refused at 1.1, which is 88 % of the CPU at a target of .8; at 1, a full loop, none is.
    expect(thresholds.refusedShare('CRITICAL', 1.1)).toBeCloseTo(0.5, 9);
    expect(0.88 / CPU_RATE_DEFAULTS.target).toBeCloseTo(1.1, 9);
    expect(thresholds.refusedShare('CRITICAL', 1)).toBe(0);
  });

  it('takes signals of the user’s, and survives one that throws', () => {
    const threads = customSignal('threads', () => 30, 20);
    const broken: UtilizationSignal = {
      name: 'broken',
      utilization: () => {
        throw new Error('gone');
      },
    };
    const { utilization, now } = running({ custom: [threads, broken] });
    expect(utilization.signal.utilization(now)).toBe(1.5);
    expect(utilization.signal.explain(now).slice(-2)).toEqual([
      { name: 'threads', utilization: 1.5 },
      { name: 'broken', utilization: 0 },
    ]);
    expect(() => new Utilization(queue, { custom: [customSignal('heap', () => 1)] })).toThrow(
      'signals must be distinct, got "heap" twice',
    );
  });

  it('explains itself in plain data', () => {
    const { utilization, now } = running({}, FULL);
    utilization.executor!.setRunnable(4, now);
    queue.level = 0.5;
    const report = utilization.explain(now);
    expect(report).toEqual({
      utilization: 0.5,
      signals: [
        { name: 'queue-pressure', utilization: 0.5 },
        { name: 'heap', utilization: 0 },
        { name: 'resident', utilization: 0 },
      ],
      cpu: expect.closeTo(0.75, 6),
      eventLoop: expect.closeTo(1, 6),
      heap: expect.closeTo(0.3, 6),
      resident: expect.closeTo(0.5, 6),
      runnable: 0,
      lagMs: 0,
      limits: { processors: 2, memoryBytes: 1_000 },
      failedReadings: { limits: 0, cpu: 0, 'event-loop': 0, heap: 0, resident: 0 },
    });
    expect(structuredClone(report)).toEqual(report);
    expect(utilization.explain(now + 60_000).runnable).toBeCloseTo(4, 6);
  });

  it('measures nothing that was left out', () => {
    const { utilization, now } = running(
      { cpu: false, eventLoop: false, executor: false, memory: false },
      { ...FULL, heapShare: 1 },
    );
    expect(utilization.executor).toBeUndefined();
    expect(utilization.explain(now)).toMatchObject({
      utilization: 0,
      signals: [{ name: 'queue-pressure', utilization: 0 }],
      cpu: undefined,
      eventLoop: undefined,
      heap: undefined,
      resident: undefined,
      runnable: undefined,
      lagMs: undefined,
      failedReadings: { limits: 0 },
    });
  });

  it('reads by itself once its sampler is started, and sees how late that is', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const source = new FakeProcess();
      const utilization = new Utilization(queue, {}, source);
      utilization.sampler.start();
      source.now = 160;
      vi.advanceTimersByTime(100);
      expect(utilization.explain(160).lagMs).toBeCloseTo(60, 6);
      const blind = new Utilization(queue, { eventLoop: false }, source);
      blind.sampler.start();
      vi.advanceTimersByTime(100);
      expect(blind.explain(160).lagMs).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });

  it('expires when nothing is read for an hour', () => {
    const { utilization, now } = running({ cpu: { target: 1 } }, { ...FULL, heapShare: 1 });
    expect(utilization.signal.utilization(now)).toBeGreaterThan(1);
    expect(utilization.signal.utilization(now + 3_600_000)).toBe(0);
    expect(utilization.load.utilization(now + 3_600_000)).toBe(0);
  });

  it('refuses impossible options', () => {
    const made = (options: object) => () => new Utilization(queue, options);
    expect(made({ cpus: {} })).toThrow('signals has no option "cpus"');
    expect(made({ cpu: { goal: 1 } })).toThrow('signals.cpu has no option "goal"');
    expect(made({ cpu: { target: 0 } })).toThrow('target of cpu must be a finite number > 0, got 0');
    expect(made({ eventLoop: { target: -1 } })).toThrow('target of event-loop must be a finite number > 0');
    expect(made({ memory: { target: 0 } })).toThrow('target must be a finite number > 0, got 0');
    expect(made({ memory: true })).toThrow('signals.memory must be an object of options, got true');
  });
});
