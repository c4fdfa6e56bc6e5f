import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { filesBelow, readCgroupLimits } from '../../../src/server/signals/cgroup.js';
import { PROCESS_READINGS } from '../../../src/server/signals/process-readings.js';
import { Utilization } from '../../../src/server/signals/utilization.js';

const NO_QUEUE = { name: 'queue-pressure', utilization: () => 0 };

/** Of this process: its loop, its CPU, its memory are real. One processor, so that a busy loop can fill it. */
const running: Utilization[] = [];
function measured() {
  const utilization = new Utilization(NO_QUEUE, { cpu: { processors: 1 } });
  utilization.sampler.start();
  running.push(utilization);
  return utilization;
}

afterEach(() => {
  for (const utilization of running.splice(0)) utilization.sampler.stop();
});

function spinUntil(endMs: number): void {
  while (performance.now() < endMs);
}

/** What is used, as told by the totals over the whole time. */
function truth() {
  const since = { now: performance.now(), cpuMs: PROCESS_READINGS.cpuMs() };
  const loop = performance.eventLoopUtilization();
  return () => ({
    cpu: (PROCESS_READINGS.cpuMs() - since.cpuMs) / (performance.now() - since.now),
    eventLoop: performance.eventLoopUtilization(loop).utilization,
  });
}

describe('the signals of a real process', () => {
  it('read a half when it is busy half of the time', async () => {
    const utilization = measured();
    const told = truth();
    // Four times the decay, after which a fiftieth of the time before still counts.
    for (const endMs = performance.now() + 4_000; performance.now() < endMs; ) {
      const startMs = performance.now();
      spinUntil(startMs + 20);
      await sleep(Math.max(1, startMs + 40 - performance.now()));
    }
    const report = utilization.explain(performance.now());
    const { cpu, eventLoop } = told();
    // A machine that others use gives less CPU and wakes late: so much is allowed for, and the truth is near.
    expect(eventLoop).toBeGreaterThan(0.35);
    expect(eventLoop).toBeLessThan(0.65);
    expect(Math.abs(report.eventLoop! - eventLoop)).toBeLessThan(0.1);
    expect(Math.abs(report.cpu! - cpu)).toBeLessThan(0.1);
    expect(utilization.load.utilization(performance.now())).toBeGreaterThanOrEqual(report.eventLoop! - 0.1);
    expect(report.lagMs).toBeGreaterThan(0);
    expect(report.failedReadings).toEqual({ limits: 0, cpu: 0, 'event-loop': 0, heap: 0, resident: 0 });
  });

  it('read what is idle as idle, and how much of the memory is used', async () => {
    const utilization = measured();
    await sleep(2_500);
    const { eventLoop, heap, resident, limits } = utilization.explain(performance.now());
    const { usedBytes, limitBytes } = PROCESS_READINGS.heap();
    expect(eventLoop).toBeLessThan(0.2);
    // Of the level, two thirds have come through.
    expect(heap).toBeGreaterThan((0.3 * usedBytes) / limitBytes);
    expect(heap).toBeLessThan((3 * usedBytes) / limitBytes);
    expect(resident).toBeGreaterThan((0.3 * process.memoryUsage.rss()) / limits.memoryBytes);
    expect(resident).toBeLessThan(1);
  });

  it('keep no process alive', () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    measured();
    expect(timers()).toBe(before);
  });

  it('go on while no timer can fire, as long as somebody polls', async () => {
    const utilization = measured();
    const told = truth();
    let timersFired = 0;
    const timer = setInterval(() => timersFired++, 10);
    // One long turn: what runs in it is all that the loop does for two seconds.
    const before = timersFired;
    for (const endMs = performance.now() + 2_000; performance.now() < endMs; ) {
      await Promise.resolve();
      utilization.sampler.poll(performance.now());
    }
    const report = utilization.explain(performance.now());
    const { cpu } = told();
    expect(timersFired).toBe(before);
    clearInterval(timer);
    // 1 − e^−2, less an interval.
    expect(report.eventLoop).toBeGreaterThan(0.8);
    expect(report.eventLoop).toBeLessThanOrEqual(1);
    expect(report.cpu!).toBeGreaterThan(0.7 * cpu);
    expect(report.cpu!).toBeLessThan(1.2 * cpu);
  });

  it('go on in a loop that is always behind', async () => {
    const utilization = measured();
    const start = performance.now();
    await new Promise<void>((done) => {
      const turn = () => {
        spinUntil(performance.now() + 20);
        utilization.sampler.poll(performance.now());
        if (performance.now() - start > 2_000) done();
        else setImmediate(turn);
      };
      turn();
    });
    expect(utilization.explain(performance.now()).eventLoop).toBeGreaterThan(0.8);
    expect(utilization.explain(performance.now()).lagMs).toBeGreaterThan(1);
  });
});

describe('readCgroupLimits', () => {
  it('reads files as a machine has them', () => {
    const root = mkdtempSync(join(tmpdir(), 'plimsoll-cgroup-'));
    const write = (path: string, text: string) => {
      mkdirSync(join(root, path, '..'), { recursive: true });
      writeFileSync(join(root, path), text);
    };
    try {
      write('/proc/self/cgroup', '0::/app\n');
      write('/proc/self/mountinfo', '30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n');
      write('/sys/fs/cgroup/app/cpu.max', '75000 100000\n');
      write('/sys/fs/cgroup/app/memory.max', '268435456\n');
      expect(readCgroupLimits(filesBelow(root))).toEqual({ processors: 0.75, memoryBytes: 2 ** 28 });
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});
