import { describe, expect, it } from 'vitest';
import { readOutlierOptions } from './outlier-options.js';

describe('options', () => {
  it('that are impossible are refused by name', () => {
    expect(() => readOutlierOptions({ intervalMs: 0 })).toThrow(
      new RangeError('intervalMs must be a finite number > 0, got 0'),
    );
    expect(() => readOutlierOptions({ baseEjectionMs: 0 })).toThrow(
      'baseEjectionMs must be an integer >= 1, got 0',
    );
    expect(() => readOutlierOptions({ maxEjectionMs: 29_999 })).toThrow(
      'maxEjectionMs must be an integer >= 30000',
    );
    expect(() => readOutlierOptions({ interval: 1 } as object)).toThrow('outliers has no option "interval"');
    expect(() => readOutlierOptions({ successRate: { factor: 1 } as object })).toThrow(
      'successRate has no option "factor"',
    );
    expect(() => readOutlierOptions({ failureShare: { share: 1 } as object })).toThrow(
      'failureShare has no option "share"',
    );
    expect(() => readOutlierOptions({ maxEjectedShare: 1.1 })).toThrow(
      'maxEjectedShare must be from 0 to 1, got 1.1',
    );
    expect(() => readOutlierOptions({ consecutiveFailures: 0 })).toThrow(
      'consecutiveFailures must be an integer >= 1',
    );
    expect(() => readOutlierOptions({ successRate: { stdevFactor: -1 } })).toThrow(
      'successRate.stdevFactor must be a finite number >= 0',
    );
    expect(() => readOutlierOptions({ successRate: { minimumBackends: 0 } })).toThrow(
      'successRate.minimumBackends',
    );
    expect(() => readOutlierOptions({ successRate: { minimumFailures: 0 } })).toThrow(
      'successRate.minimumFailures',
    );
    expect(() => readOutlierOptions({ successRate: { significance: -1 } })).toThrow(
      'successRate.significance',
    );
    expect(() => readOutlierOptions({ failureShare: { threshold: 2 } })).toThrow(
      'failureShare.threshold must be from 0 to 1',
    );
    expect(() => readOutlierOptions({ failureShare: { minimumRequests: 0.5 } })).toThrow(
      'failureShare.minimumRequests',
    );
  });

  it('raise the longest ejection to the first when only that is given', () => {
    expect(readOutlierOptions({ baseEjectionMs: 400_000 })).toMatchObject({ maxEjectionMs: 400_000 });
  });
});
