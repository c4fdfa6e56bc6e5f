import { describe, expect, it } from 'vitest';
import { highestOf, weightedSumOf, withTarget } from './combine-signals.js';
import type { UtilizationSignal } from './utilization-signal.js';

function fixed(name: string, ...values: number[]): UtilizationSignal {
  return { name, utilization: (now) => values[now]! };
}

describe('highestOf', () => {
  it('is the fullest of them at each moment', () => {
    const highest = highestOf([fixed('cpu', 0.5, 0.5), fixed('memory', 0.2, 0.9), fixed('queue', 0.7, 0.1)]);
    expect(highest.utilization(0)).toBe(0.7);
    expect(highest.utilization(1)).toBe(0.9);
  });

  it('is 0 without any, and passes over what is no utilization', () => {
    expect(highestOf([]).utilization(0)).toBe(0);
    const odd = [
      fixed('a', Number.NaN),
      fixed('b', -3),
      fixed('c', Number.POSITIVE_INFINITY),
      fixed('d', 0.4),
    ];
    expect(highestOf(odd).utilization(0)).toBe(0.4);
    expect(highestOf(odd.toReversed()).utilization(0)).toBe(0.4);
  });

  it('says what it is made of, as it counts', () => {
    const highest = highestOf([fixed('cpu', 0.5), fixed('own', Number.NaN)]);
    expect(highest.name).toBe('highest');
    expect(highest.explain(0)).toEqual([
      { name: 'cpu', utilization: 0.5 },
      { name: 'own', utilization: 0 },
    ]);
  });

  it('does not follow a list that is changed later', () => {
    const signals = [fixed('cpu', 0.5)];
    const highest = highestOf(signals);
    signals.push(fixed('memory', 0.9));
    expect(highest.utilization(0)).toBe(0.5);
  });

  it('refuses two of one name', () => {
    expect(() => highestOf([fixed('cpu', 0), fixed('cpu', 0)])).toThrow(
      new RangeError('signals must be distinct, got "cpu" twice'),
    );
  });
});

describe('weightedSumOf', () => {
  it('adds them up by weight', () => {
    const sum = weightedSumOf([
      { signal: fixed('cpu', 0.8), weight: 0.75 },
      { signal: fixed('memory', 1.6), weight: 0.25 },
    ]);
    expect(sum.name).toBe('weighted-sum');
    expect(sum.utilization(0)).toBeCloseTo(1, 12);
    expect(sum.explain(0)).toEqual([
      { name: 'cpu', utilization: 0.8 },
      { name: 'memory', utilization: 1.6 },
    ]);
  });

  it('is not spoilt by one that is broken', () => {
    const sum = weightedSumOf([
      { signal: fixed('cpu', 0.8), weight: 0.5 },
      { signal: fixed('own', Number.NaN), weight: 0.5 },
    ]);
    expect(sum.utilization(0)).toBe(0.4);
  });

  it('refuses impossible weights and two of one name', () => {
    const cpu = fixed('cpu', 0);
    expect(() => weightedSumOf([{ signal: cpu, weight: 0 }])).toThrow(
      new RangeError('weight of cpu must be a finite number > 0, got 0'),
    );
    expect(() =>
      weightedSumOf([
        { signal: cpu, weight: 1 },
        { signal: cpu, weight: 1 },
      ]),
    ).toThrow('signals must be distinct, got "cpu" twice');
  });
});

describe('withTarget', () => {
  it('measures a signal against another target, under its own name', () => {
    const strict = withTarget(fixed('memory', 0.45), 0.9);
    expect(strict.name).toBe('memory');
    expect(strict.utilization(0)).toBe(0.5);
    expect(highestOf([fixed('cpu', 0.4), strict]).utilization(0)).toBe(0.5);
  });

  it('refuses an impossible target', () => {
    expect(() => withTarget(fixed('cpu', 1), -1)).toThrow(
      new RangeError('target of cpu must be a finite number > 0, got -1'),
    );
  });
});
