import type { BenchName } from '../../../bench/catalogue.js';
import type { BenchResult } from '../../../bench/record/result.js';

/** A result of a bench on a machine that there is not. */
export function sampleResult(bench: BenchName, given: Partial<BenchResult>): BenchResult {
  return {
    bench,
    revision: 'abc1234',
    started: '2026-01-02T03:04:05.000Z',
    seconds: 10,
    machine: { cpu: 'A processor', cores: 2, memoryGb: 4, kernel: 'Linux 6', os: 'An OS' },
    versions: { node: '20.19.0' },
    disturbance: { loadBefore: 0.1, busyBefore: 0.01, stolenShare: 0 },
    flags: {},
    reports: [],
    ...given,
  };
}
