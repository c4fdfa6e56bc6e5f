import { describe, expect, it } from 'vitest';
import {
  columnFormat,
  decimalsFor,
  formatCompact,
  formatNumber,
  groupThousands,
  percentFormat,
} from './numbers.js';

const column = (...values: number[]) => values.map(columnFormat(values));
const percents = (...shares: number[]) => shares.map(percentFormat(shares));

describe('a number', () => {
  it.each([
    [0, '0'],
    [10, '10'],
    [1_234, '1 234'],
    [-1_234_567, '-1 234 567'],
    [1.256, '1.26'],
    [0.032_46, '0.0325'],
    [15_324.6, '15 325'],
    [Number.POSITIVE_INFINITY, '∞'],
    [Number.NEGATIVE_INFINITY, '-∞'],
    [Number.NaN, '?'],
  ])('%s is written as %s', (value, text) => {
    expect(formatNumber(value)).toBe(text);
  });

  it('has as many decimals as it is asked for, but nothing stays nothing', () => {
    expect(formatNumber(3, 2)).toBe('3.00');
    expect(formatNumber(1_234.5678, 2)).toBe('1 234.57');
    expect(formatNumber(0, 2)).toBe('0');
  });

  it('is grouped by thousands', () => {
    expect(groupThousands('1234567.12345')).toBe('1 234 567.12345');
    expect(groupThousands('123')).toBe('123');
    expect(groupThousands('12345', '_')).toBe('12_345');
  });

  it('needs decimals by its size', () => {
    expect([1.53, 153, 0.0153, 1_000, 0, -1.5].map((value) => decimalsFor(value, 3))).toEqual([
      2, 0, 4, 0, 0, 2,
    ]);
    expect(decimalsFor(Number.POSITIVE_INFINITY, 3)).toBe(0);
    expect(decimalsFor(1e-30, 3)).toBe(12);
  });
});

describe('a column', () => {
  it('has its points in a line', () => {
    expect(column(0.5, 1, 1.526, 0)).toEqual(['0.50', '1.00', '1.53', '0']);
    expect(column(12.34, 1_532.4)).toEqual(['12', '1 532']);
    expect(column(0.0032, 0.902)).toEqual(['0.0032', '0.9020']);
  });

  it('of whole numbers has none', () => {
    expect(column(1, 20, 3_000)).toEqual(['1', '20', '3 000']);
    expect(column()).toEqual([]);
  });

  it('of very different numbers lets each be as it needs', () => {
    expect(column(0.001_23, 5, 4_567.8)).toEqual(['0.00123', '5', '4 568']);
    expect(column(1.5, 1_499)).toEqual(['1.5', '1 499.0']);
    expect(column(1.5, 1_500)).toEqual(['1.50', '1 500']);
  });

  it('shows what is no number', () => {
    expect(column(1.5, Number.POSITIVE_INFINITY, Number.NaN)).toEqual(['1.50', '∞', '?']);
  });
});

describe('a share', () => {
  it('is percent', () => {
    expect(percents(0.1, 0.2, 1)).toEqual(['10 %', '20 %', '100 %']);
    expect(percents(0.07)).toEqual(['7 %']);
    expect(percents(0.003_21)).toEqual(['0.321 %']);
    expect(percents(0.902, 0.5, 0)).toEqual(['90.2 %', '50.0 %', '0 %']);
  });

  it('close to all shows how close', () => {
    expect(percents(0.9997)).toEqual(['99.97 %']);
    expect(percents(0.999_999_9)).toEqual(['100.0000 %']);
    expect(percents(0.994, 1)).toEqual(['99.4 %', '100.0 %']);
    expect(percents(0.99)).toEqual(['99 %']);
  });

  it('may differ much from the others', () => {
    expect(percents(0.000_012, 0.5)).toEqual(['0.00120 %', '50 %']);
  });
});

it('writes large numbers short', () => {
  expect(
    [0, 87.4, 999, 999.5, 1_234, 34_567, 999_500, 2_412_000, 47_000_000, 999_600_000].map(formatCompact),
  ).toEqual(['0', '87', '999', '1.0 k', '1.2 k', '35 k', '1.0 M', '2.4 M', '47 M', '1.0 G']);
});
