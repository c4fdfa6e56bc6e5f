import { expect, it } from 'vitest';
import { memoryStore } from '../rate-limit/index.js';
import { createRateRule } from '../stores/rate-store.js';
import { VersionedStore } from './versioned-store.js';

const few = (limit: number) =>
  createRateRule('few', { algorithm: 'fixed-window', limit, windowMs: 60_000, burst: undefined });

it('counts each version of a limit apart, and the same one together', async () => {
  const store = new VersionedStore(memoryStore());
  const take = async (limit: number) => (await store.take([{ rule: few(limit), key: 'a', cost: 1 }])).allowed;
  expect([await take(1), await take(1), await take(2), await take(2), await take(2)]).toEqual([
    true,
    false,
    true,
    true,
    false,
  ]);
  expect(store.takeNow!([{ rule: few(2), key: 'a', cost: 1 }]).allowed).toBe(false);
  expect(store.takeOneNow!(few(2), 'a', 1).allowed).toBe(false);
  expect(store.takeOneNow!(few(3), 'a', 1).allowed).toBe(true);
  const [decision] = await store.peek([{ rule: few(1), key: 'a', cost: 1 }]);
  expect(decision?.allowed).toBe(false);
  await store.reset(few(1), 'a');
  expect(await take(1)).toBe(true);
  await store.close();
});
