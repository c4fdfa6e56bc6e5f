import { expect, it, vi } from 'vitest';
import type { QueuedRequest } from '../rate-limit/index.js';
import type { Generation } from './generation.js';
import type { LiveRoute } from './live-route.js';
import { queuedFacts } from './queued-facts.js';
import { performQueued } from './queued-requests.js';
import { PathTemplate } from './routing/index.js';

const FACTS = queuedFacts({
  route: 'q',
  customer: 'acme',
  criticality: 'CRITICAL',
  address: '10.0.0.1',
  protocol: 'http',
  requestId: undefined,
});
const REQUEST = { id: 'id', method: 'POST', url: '/q', headers: [], body: Buffer.from('b'), facts: FACTS };
const LIMITS = { signal: new AbortController().signal, maxResultBytes: 100 };

/** Of a gateway whose backend answers so. */
async function performed(headers: readonly string[]) {
  const request = vi.fn(async () => ({ statusCode: 200, headers, body: [Buffer.from('done')] }));
  const service = { client: { dispatcher: { request } }, clientName: 'users' };
  const route = { name: 'q', template: new PathTemplate('/q'), askedOf: () => '/q', host: 'backend' };
  const release = vi.fn();
  const generation = { routes: [{ ...route, maxBodyBytes: 9, service } as unknown as LiveRoute] };
  const perform = performQueued(() => ({ ...generation, hold: vi.fn(), release }) as unknown as Generation);
  const answer = await perform(REQUEST as unknown as QueuedRequest, LIMITS);
  expect([request.mock.calls.length, release.mock.calls.length]).toEqual([1, 1]);
  return answer;
}

it('gives what its backend has answered, without what is not for clients', async () => {
  const answer = await performed(['x-a', '1', 'connection', 'close']);
  expect(answer).toEqual({ status: 200, headers: ['x-a', '1'], body: Buffer.from('done') });
});

it('is performed, and not to be tried again, when its answer cannot be passed on', async () => {
  const answer = await performed(['x-a', 'two\nlines']);
  expect([answer.status, String(answer.body)]).toEqual([502, '{"title":"Bad gateway","status":502}']);
});
