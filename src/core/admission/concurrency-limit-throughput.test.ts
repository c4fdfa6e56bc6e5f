import { describe, expect, test } from 'vitest';
import { BusyThroughput } from './concurrency-limit-throughput.js';

/** Past its start, with this value. */
function known(value: number): BusyThroughput {
  const throughput = new BusyThroughput();
  throughput.learn(value, value);
  throughput.learn(value, value);
  expect(throughput.value).toBe(value);
  expect(throughput.isStarting).toBe(false);
  return throughput;
}

describe('BusyThroughput', () => {
  test('starts unknown, and takes what it sees as long as that grows by a quarter', () => {
    const throughput = new BusyThroughput();
    expect(throughput).toMatchObject({ value: 0, isStarting: true, isGrowing: false, hasFallen: false });
    throughput.learn(1, 1);
    expect(throughput).toMatchObject({ value: 1, isStarting: true });
    throughput.learn(1.3, 1.3);
    expect(throughput).toMatchObject({ value: 1.3, isStarting: true });
    throughput.learn(1.6, 1.6);
    expect(throughput).toMatchObject({ value: 1.6, isStarting: false });
    throughput.learn(3, 3);
    expect(throughput.value).toBeCloseTo(2.16, 10);
    expect(throughput.isStarting).toBe(false);
  });

  test('a new interval weighs 40 %, all before 60 %', () => {
    const throughput = known(1);
    throughput.learn(1.2, 1.2);
    expect(throughput.value).toBeCloseTo(1.08, 10);
    throughput.learn(0.88, 0.88);
    expect(throughput.value).toBeCloseTo(1, 10);
  });

  test('grows when it rises by more than 5 %', () => {
    const throughput = known(1);
    throughput.learn(1.05, 1.05);
    expect(throughput.isGrowing).toBe(false);
    throughput.learn(1.2, 1.2);
    expect(throughput.isGrowing).toBe(true);
    throughput.learn(0.1, 0.1);
    expect(throughput.isGrowing).toBe(false);
    const faster = known(20);
    faster.learn(20.9, 20.9);
    expect(faster.isGrowing).toBe(false);
    faster.learn(22, 22);
    expect(faster.isGrowing).toBe(true);
  });

  test('when requests come unevenly, their latencies say what the server could do', () => {
    const throughput = known(1);
    throughput.learn(0.9, 1);
    expect(throughput.value).toBe(1);
  });

  test('but latencies are believed only a quarter beyond what was done: those that starve have none', () => {
    const throughput = known(1);
    for (let i = 0; i < 50; i++) throughput.learn(1, 10);
    expect(throughput.value).toBeCloseTo(1.25, 3);
  });

  test('latencies that promise less do not count: what was done was done', () => {
    const throughput = known(1);
    throughput.learn(1, 0.5);
    expect(throughput.value).toBe(1);
  });

  test('a fall is held back, believed the second time, and taken over when settled', () => {
    const throughput = known(1);
    throughput.learn(0.3, 0.3);
    expect(throughput).toMatchObject({ value: 1, hasFallen: false });
    throughput.learn(0.25, 0.25);
    expect(throughput).toMatchObject({ value: 1, hasFallen: true });
    throughput.settle();
    expect(throughput).toMatchObject({ value: 0.25, hasFallen: false });
    throughput.learn(0.25, 0.25);
    expect(throughput).toMatchObject({ value: 0.25, hasFallen: false });
  });

  test('one interval with a pause in it changes nothing', () => {
    const throughput = known(1);
    throughput.learn(0.1, 0.1);
    throughput.learn(1, 1);
    throughput.learn(0.1, 0.1);
    expect(throughput).toMatchObject({ value: 1, hasFallen: false });
    throughput.settle();
    expect(throughput.value).toBe(1);
  });

  test('a fall in small steps is noticed too: it is measured from the best', () => {
    const throughput = known(1);
    for (const done of [0.85, 0.75, 0.72]) throughput.learn(done, done);
    const held = throughput.value;
    throughput.learn(0.69, 0.69);
    throughput.learn(0.69, 0.69);
    expect(throughput).toMatchObject({ value: held, hasFallen: true });
  });

  test('what was settled is the new measure', () => {
    const throughput = known(1);
    for (const done of [0.85, 0.75, 0.72]) throughput.learn(done, done);
    throughput.settle();
    throughput.learn(0.6, 0.6);
    throughput.learn(0.6, 0.6);
    expect(throughput.hasFallen).toBe(false);
  });

  test('is as new when cleared', () => {
    const throughput = known(10);
    throughput.learn(1, 1);
    throughput.clear();
    expect(throughput).toMatchObject({ value: 0, isStarting: true });
    throughput.learn(1, 1);
    expect(throughput).toMatchObject({ value: 1, hasFallen: false });
  });
});
