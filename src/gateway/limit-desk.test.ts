import { afterEach, expect, it } from 'vitest';
import { ruleOf } from '../rate-limit/limiter-options.js';
import { MemoryStore } from '../stores/memory/memory-store.js';
import type { Generation } from './generation.js';
import { peekLimit } from './limit-desk.js';
import { parseGatewaySettings } from './settings/index.js';
import type { SharedState } from './shared-state.js';

const settings = parseGatewaySettings(`
listen: 8080
limits: { dear: { rate: 5/min, cost: 3, algorithm: sliding-log } }
routes: [{ to: "http://127.0.0.1:3000", limits: [dear] }]
`);

const store = new MemoryStore();
afterEach(() => store.close());

it('says what is left of a limit now, and whether the next request passes by what it costs', async () => {
  const peek = async () => {
    const reading = await peekLimit(
      { settings } as unknown as Generation,
      { store } as unknown as SharedState,
      'dear',
      'a',
    );
    return reading!.decision;
  };
  expect(await peek()).toEqual({ allowed: true, limit: 5, remaining: 5, resetMs: 0, retryAfterMs: 0 });
  const rule = ruleOf('dear', settings.limits['dear']!);
  await store.take([{ rule, key: 'a', cost: 3 }]);
  const decision = await peek();
  expect(decision).toMatchObject({ allowed: false, remaining: 2 });
  expect(decision!.retryAfterMs).toBeGreaterThan(50_000);
});
