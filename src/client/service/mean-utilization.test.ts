import { expect, it } from 'vitest';
import { meanUtilization } from './mean-utilization.js';

it('is of those that are ready and say it, the application before the CPU', () => {
  const report = { cpuUtilization: 0.2 };
  expect(meanUtilization([])).toBeUndefined();
  expect(meanUtilization([{ connection: 'ready', report: undefined }])).toBeUndefined();
  expect(
    meanUtilization([
      { connection: 'ready', report },
      { connection: 'ready', report: undefined },
      { connection: 'ready', report: { ...report, applicationUtilization: 0.6 } },
      { connection: 'lame-duck', report },
    ]),
  ).toBeCloseTo(0.4);
});
