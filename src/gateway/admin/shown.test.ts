import { expect, it } from 'vitest';
import type { QuotaSnapshot } from '../../quota/index.js';
import type { GuardSnapshot } from '../../server/index.js';
import { shown } from './shown.js';

const customers = Array.from({ length: 500 }, (_, i) => ({ customer: `c${i}`, demandPerSecond: i }));
const guard = { mode: 'enforce', quota: { stage: 'alone', customers } } as unknown as GuardSnapshot;

it('has those customers that want most', () => {
  const { guard: seen, quota } = shown({ guard, quota: undefined });
  expect(quota).toBeUndefined();
  expect(seen.mode).toBe('enforce');
  expect(seen.quota!.customers).toHaveLength(200);
  expect(seen.quota!.customers[0]!.customer).toBe('c499');
});

it('has them once', () => {
  const own = { stage: 'alone', customers, fleet: { customers } } as unknown as QuotaSnapshot;
  const { guard: seen, quota } = shown({ guard, quota: own });
  expect(seen.quota).toBeUndefined();
  expect(quota!.customers).toHaveLength(200);
  expect(quota!.fleet!.customers).toHaveLength(200);
  expect(shown({ guard, quota: { ...own, fleet: undefined } }).quota!.fleet).toBeUndefined();
});

it('is nothing where there are no quotas', () => {
  expect(shown({ guard: { ...guard, quota: undefined }, quota: undefined }).guard.quota).toBeUndefined();
});
