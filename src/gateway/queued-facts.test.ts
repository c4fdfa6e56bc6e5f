import { describe, expect, it } from 'vitest';
import type { QueuedRequest } from '../rate-limit/index.js';
import { type QueuedFacts, queuedFacts, readQueuedFacts } from './queued-facts.js';

const KNOWN: QueuedFacts = {
  route: 'posts',
  customer: 'acme',
  criticality: 'SHEDDABLE',
  address: '10.0.0.1',
  protocol: 'https',
  requestId: 'r-1',
};

const read = (facts: Readonly<Record<string, string>>) => readQueuedFacts({ facts } as QueuedRequest);

describe('what a gateway knew of a request', () => {
  it('is the same when its turn has come', () => {
    expect(read(JSON.parse(JSON.stringify(queuedFacts(KNOWN))))).toEqual(KNOWN);
    const unknown = { ...KNOWN, address: undefined, requestId: undefined };
    expect(queuedFacts(unknown)).not.toHaveProperty('address');
    expect(read(queuedFacts(unknown))).toEqual(unknown);
  });

  it.each([
    [{}],
    [{ ...queuedFacts(KNOWN), criticality: 'VERY' }],
    [{ ...queuedFacts(KNOWN), protocol: 'ftp' }],
    [{ protocol: 'http', criticality: 'CRITICAL', customer: 'acme' }],
    [{ protocol: 'http', criticality: 'CRITICAL', route: 'posts' }],
  ])('is not what somebody else left: %j', (facts) => {
    expect(() => read(facts)).toThrow('it was accepted by no gateway');
  });
});
