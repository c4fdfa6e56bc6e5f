import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Backend, LoadReport, Probing } from '../../core/index.js';
import type { HealthMonitor } from '../health/index.js';
import { Probes } from './probes.js';

const REPORT = { cpuUtilization: 0.5 } as LoadReport;

function setUp() {
  const due: string[] = [];
  const told: unknown[] = [];
  const answers: ((report: LoadReport | undefined) => void)[] = [];
  const world = { now: 10, monotonicMs: () => world.now, wallMs: () => 0, random: () => 0 };
  const probing: Probing = {
    timeoutMs: 70,
    nextProbe: (now) => {
      const key = due.shift();
      if (key !== undefined) told.push(['due', key, now]);
      return key === undefined ? undefined : ({ key } as Backend);
    },
    onAnswer: ({ key }, report, now) => told.push(['answer', key, report, now]),
    onFailure: ({ key }, now) => told.push(['failure', key, now]),
  };
  const monitor = {
    probe: (key: string, timeoutMs: number, answer: (typeof answers)[number]) => {
      told.push(['asked', key, timeoutMs]);
      answers.push(answer);
    },
  } as unknown as HealthMonitor;
  return { due, told, answers, world, probes: new Probes(probing, monitor, world) };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('Probes', () => {
  it('asks all that are due, with the time that the policy gives them', () => {
    const { due, told, probes } = setUp();
    due.push('a', 'b');
    probes.send(10);
    expect(told).toEqual([
      ['due', 'a', 10],
      ['asked', 'a', 70],
      ['due', 'b', 10],
      ['asked', 'b', 70],
    ]);
    probes.close();
  });

  it('tells the policy what comes of it, as of then', () => {
    const { due, told, answers, world, probes } = setUp();
    due.push('a', 'b');
    probes.send(10);
    told.length = 0;
    world.now = 30;
    answers[1]!(REPORT);
    world.now = 80;
    answers[0]!(undefined);
    expect(told).toEqual([
      ['answer', 'b', REPORT, 30],
      ['failure', 'a', 80],
    ]);
    probes.close();
  });

  it('looks by itself when there are no requests, until it is closed', () => {
    const { due, told, world, probes } = setUp();
    due.push('a');
    world.now = 260;
    vi.advanceTimersByTime(249);
    expect(told).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(told[0]).toEqual(['due', 'a', 260]);
    probes.close();
    probes.close();
    due.push('b');
    vi.advanceTimersByTime(1_000);
    expect(told).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
  });
});
