import { expect, it } from 'vitest';
import {
  BATCH_PROXY_DEFAULTS,
  type BatchProxyOptions,
  checkBatchProxyOptions,
} from './batch-proxy-options.js';

it('has defaults that hold', () => {
  expect(checkBatchProxyOptions(undefined)).toEqual(BATCH_PROXY_DEFAULTS);
  expect(checkBatchProxyOptions({ job: { header: 'x-job' } }).job).toEqual({ header: 'x-job' });
});

it.each([
  [{ job: 'name' }, 'job must be one of customer, address, got "name"'],
  [{ job: { header: 'two words' } }, 'job.header must be the name of a header, got "two words"'],
  [{ job: {} }, 'job.header must be the name of a header'],
  [{ maxHeldBytes: -1 }, 'maxHeldBytes must be'],
])('refuses %j', (given, message) => {
  expect(() => checkBatchProxyOptions(given as unknown as Partial<BatchProxyOptions>)).toThrow(message);
});
