import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import type { JobSource } from './batch-proxy-options.js';
import { jobOf } from './job-name.js';

function requestWith(headers: IncomingMessage['headers'], remoteAddress?: string): IncomingMessage {
  return { headers, socket: { remoteAddress } } as IncomingMessage;
}

const HEADER = { header: 'X-Job' };

it.each([
  ['customer', 'mail', {}, 'mail'],
  ['customer', 'anonymous', {}, '10.0.0.1'],
  ['customer', '', {}, '10.0.0.1'],
  ['customer', undefined, {}, '10.0.0.1'],
  ['address', 'mail', {}, '10.0.0.1'],
  [HEADER, 'mail', { 'x-job': 'nightly' }, 'nightly'],
  [HEADER, 'mail', { 'x-job': '' }, '10.0.0.1'],
  [HEADER, 'mail', { 'set-cookie': ['a'] }, '10.0.0.1'],
  [HEADER, 'mail', { 'x-job': ['a', 'b'] }, 'a'],
  [{ header: 'X-Api-Key' }, 'mail', { 'x-api-key': 'secret' }, 'K7gNU3sdo-OL0wNhqoVWhg'],
  [HEADER, 'mail', { 'x-job': 'x'.repeat(1_000) }, 'x'.repeat(128)],
] as const)('%j of a request of %s with %j is %s', (source, customer, headers, job) => {
  expect(
    jobOf(
      source as JobSource,
      requestWith(headers as unknown as IncomingMessage['headers'], '10.0.0.1'),
      customer,
    ),
  ).toBe(job);
});

it('is empty when nothing is known at all', () => {
  expect(jobOf('customer', requestWith({}), undefined)).toBe('');
});
