import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, it } from 'vitest';
import { RejectedError } from '../../core/index.js';
import type { Attempt } from '../dispatch/attempt.js';
import type { Exchange } from '../dispatch/exchange.js';
import { ClientTally } from './client-tally.js';

const request = { criticality: 'SHEDDABLE', startedMs: 10 } as Exchange;
const attempt = { backend: 'http://a', sentMs: 30, status: 200 } as Attempt;

describe('ClientTally', () => {
  it('counts a request once and each of its attempts, by number and by how they end', () => {
    const tally = new ClientTally('orders', undefined);
    for (const count of [1, 2, 3]) tally.onAttempt(request, attempt, count, []);
    tally.onAttempt(request, attempt, 1, []);
    tally.onOutcome(request, attempt, 'task-overloaded', 40);
    tally.onOutcome(request, attempt, 'answered', 40);
    expect(tally.requests).toEqual({ SHEDDABLE: 2, SHEDDABLE_PLUS: 0, CRITICAL: 0, CRITICAL_PLUS: 0 });
    expect(tally.attempts).toEqual([2, 1, 1]);
    expect(tally.outcomes).toMatchObject({ 'task-overloaded': 1, answered: 1, failed: 0, broken: 0 });
  });

  it('tells requests that were answered, that failed, and that were refused, by code', () => {
    const tally = new ClientTally('orders', undefined);
    tally.onEnd(request, undefined, 50);
    tally.onEnd(request, new Error('broken'), 50);
    for (let i = 0; i < 2; i++)
      tally.onEnd(request, new RejectedError('PLIMSOLL_THROTTLED', '', { retry: 'later' }), 50);
    expect(tally).toMatchObject({ answered: 1, failed: 1, rejected: { PLIMSOLL_THROTTLED: 2 } });
  });

  it('counts what resolvers could not do', () => {
    const tally = new ClientTally('orders', undefined);
    tally.onResolverError(new Error('no such name'));
    expect(tally.resolverErrors).toBe(1);
  });

  it('tells whoever listens, with times', () => {
    const tally = new ClientTally('orders', undefined);
    const told: unknown[] = [];
    const names = ['attempt', 'outcome', 'end', 'backend-state', 'resolver-error'];
    const note = (message: unknown, name: string | symbol) => {
      // Other tests of this process may be told of too.
      if ((message as { service: string }).service === 'orders') told.push([name, message]);
    };
    for (const name of names) subscribe(`plimsoll:client:${name}`, note);
    const error = new Error('no such name');
    tally.onAttempt(request, attempt, 2, []);
    tally.onOutcome(request, attempt, 'answered', 42);
    tally.onEnd(request, error, 50);
    tally.onBackendState('http://a', 'ready');
    tally.onResolverError(error);
    for (const name of names) unsubscribe(`plimsoll:client:${name}`, note);
    tally.onBackendState('http://a', 'refusing');
    const service = 'orders';
    expect(told).toEqual([
      ['plimsoll:client:attempt', { service, request, backend: 'http://a', attempt: 2 }],
      [
        'plimsoll:client:outcome',
        { service, request, backend: 'http://a', outcome: 'answered', status: 200, latencyMs: 12 },
      ],
      ['plimsoll:client:end', { service, request, error, latencyMs: 40 }],
      ['plimsoll:client:backend-state', { service, backend: 'http://a', state: 'ready' }],
      ['plimsoll:client:resolver-error', { service, error }],
    ]);
  });
});
