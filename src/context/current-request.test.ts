import { describe, expect, it } from 'vitest';
import type { Criticality } from '../core/criticality.js';
import {
  currentRequest,
  enterRequest,
  holdPropagation,
  needContext,
  peekRequest,
  propagate,
  type RequestContext,
  releasePropagation,
  requestOf,
  runInRequest,
  withCriticality,
} from './index.js';

const charged: number[] = [];

const served: RequestContext = {
  criticality: 'SHEDDABLE_PLUS',
  deadline: 5_000,
  remainingMs: () => 42,
  attempt: 2,
  customer: 'mail',
  degraded: true,
  cost: 7,
  charge: (amount) => void charged.push(amount),
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
};

describe('currentRequest', () => {
  it('is undefined outside of a request', () => {
    expect(currentRequest()).toBeUndefined();
    expect(peekRequest()).toBeUndefined();
  });

  it('is the one that is being served, also after awaits and timers', async () => {
    needContext();
    const seen = await runInRequest(
      served,
      async (first, second) => {
        await new Promise((resolve) => setImmediate(resolve));
        return [first, second, currentRequest(), peekRequest()];
      },
      1,
      2,
    );
    expect(seen).toEqual([1, 2, served, served]);
    expect(enterRequest(served, () => currentRequest(), 0, 0)).toBe(served);
  });

  it('may be wanted by guards and held by meters', () => {
    const undo = propagate('off');
    holdPropagation();
    expect(runInRequest(served, () => currentRequest(), 0, 0)).toBe(served);
    releasePropagation();
    undo();
    expect(currentRequest()).toBeUndefined();
  });
});

describe('withCriticality', () => {
  it('changes the criticality of calls below, and nothing else', async () => {
    const [inner, outer] = await runInRequest(
      served,
      async () => {
        const below = await withCriticality('SHEDDABLE', async () => {
          await Promise.resolve();
          return currentRequest()!;
        });
        return [below, currentRequest()] as const;
      },
      0,
      0,
    );
    expect(outer).toBe(served);
    const { criticality, deadline, attempt, customer, degraded, cost, traceId } = inner;
    expect({ criticality, deadline, attempt, customer, degraded, cost, traceId }).toEqual({
      criticality: 'SHEDDABLE',
      deadline: 5_000,
      attempt: 2,
      customer: 'mail',
      degraded: true,
      cost: 7,
      traceId: served.traceId,
    });
    expect(inner.remainingMs()).toBe(42);
    inner.charge(3);
    expect(charged).toEqual([3]);
    expect(requestOf(inner)).toBe(served);
    expect(requestOf(served)).toBe(served);
  });

  it('nests: the innermost counts, and the request is still the same', () => {
    const inner = runInRequest(
      served,
      () => withCriticality('SHEDDABLE', () => withCriticality('CRITICAL_PLUS', () => currentRequest()!)),
      0,
      0,
    );
    expect(inner.criticality).toBe('CRITICAL_PLUS');
    expect(requestOf(inner)).toBe(served);
  });

  it('gives work of no request a criticality', () => {
    const job = withCriticality('SHEDDABLE_PLUS', () => currentRequest()!);
    const { criticality, deadline, attempt, customer, degraded, cost } = job;
    expect({ criticality, deadline, attempt, customer, degraded, cost }).toEqual({
      criticality: 'SHEDDABLE_PLUS',
      deadline: Number.POSITIVE_INFINITY,
      attempt: 1,
      customer: '',
      degraded: false,
      cost: 0,
    });
    expect(job.remainingMs()).toBe(Number.POSITIVE_INFINITY);
    job.charge(5);
    expect(() => job.charge(-5)).toThrow('amount must be a finite number >= 0, got -5');
    expect(currentRequest()).toBeUndefined();
  });

  it('passes the result on, and refuses a word that is none', () => {
    expect(withCriticality('CRITICAL', () => 'result')).toBe('result');
    expect(() => withCriticality('URGENT' as Criticality, () => 0)).toThrow(
      'criticality must be one of SHEDDABLE, SHEDDABLE_PLUS, CRITICAL, CRITICAL_PLUS, got "URGENT"',
    );
  });
});
