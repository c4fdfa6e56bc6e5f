import { describe, expect, it } from 'vitest';
import type { Happening } from '../data/happening.js';
import type { Sample } from '../data/sample.js';
import { marksOf, placeLabels, pointsOf, spanOf, summaryOf } from './time-series.js';

const sample = (atMs: number, goodput: number) => ({ atMs, goodput }) as Sample;
const happening = (atMs: number, label: string, tone: Happening['tone'] = 'plain') =>
  ({ id: `${atMs}`, atMs, kind: 'backend', tone, label, sentence: '' }) satisfies Happening;

describe('points of a chart', () => {
  it('count seconds from now, and have a hole where nothing is known', () => {
    const samples = [sample(8_000, 5), undefined, sample(10_000, 7)];
    expect(pointsOf(samples, 10_000, ({ goodput }) => goodput)).toEqual([
      [-2_000, 5],
      [-2_000, null],
      [0, 7],
    ]);
    expect(pointsOf([sample(0, 1)], 0, () => undefined)).toEqual([[0, null]]);
  });
});

describe('the span of a chart', () => {
  it('grows with what is known', () => {
    expect(spanOf([], 0)).toBe(60_000);
    expect(
      [10_000, 60_000, 61_000, 121_000, 900_000].map((now) => spanOf([undefined, sample(0, 1)], now)),
    ).toEqual([60_000, 60_000, 120_000, 300_000, 300_000]);
  });
});

describe('marks', () => {
  it('stand for all that happened at about the same time, and have the colour of the worst', () => {
    const newestFirst = [
      happening(90_000, 'c'),
      happening(62_000, 'b', 'bad'),
      happening(60_000, 'a', 'good'),
    ];
    expect(marksOf(newestFirst, 100_000, 300_000)).toEqual([
      { agoMs: -40_000, tone: 'bad', label: 'a +1' },
      { agoMs: -10_000, tone: 'plain', label: 'c' },
    ]);
  });

  it('do not repeat the same', () => {
    const reloads = [40, 30, 20, 10].map((second) => happening(second * 1_000, 'reload'));
    expect(marksOf(reloads, 100_000, 300_000)).toHaveLength(1);
  });

  it('are not of what is too old, nor of the future', () => {
    expect(marksOf([happening(500_000, 'late'), happening(0, 'old')], 400_000, 300_000)).toEqual([
      { agoMs: 0, tone: 'plain', label: 'late' },
    ]);
  });
});

describe('labels of marks', () => {
  const mark = (agoMs: number, label = 'lame duck') => ({ agoMs, tone: 'warn', label }) as const;
  const sides = (...marks: ReturnType<typeof mark>[]) => placeLabels(marks, 100, 500).map(({ side }) => side);

  it('stand on the left, where they do not leave the chart', () => {
    expect(sides(mark(-50), mark(0))).toEqual(['left', 'left']);
    expect(sides(mark(-99))).toEqual(['right']);
  });

  it('are left out where they would cover others: the newest stays', () => {
    expect(sides(mark(-50), mark(-48))).toEqual(['none', 'left']);
  });
});

describe('the summary of a chart', () => {
  const series = [
    { name: 'goodput', colour: 'good', look: 'line', pick: ({ goodput }: Sample) => goodput },
  ] as const;

  it('says in words what is drawn', () => {
    expect(summaryOf('Traffic', series, [sample(0, 3), undefined, sample(1, 9)], String)).toBe(
      'Traffic, lately: goodput 9 now, between 3 and 9.',
    );
    expect(summaryOf('Traffic', series, [], String)).toBe('Traffic: nothing yet.');
  });
});
