import { expect, it } from 'vitest';
import { withIsolation } from './isolation.js';
import type { Streamed } from './stress-bed.js';

/** How much later answers are is for the bench (`npm run -s bench -- gateway`): here others use the machine, too. */
it('serves what is critical of a service that has ten times too much, and all of the others', async () => {
  const { during, critical, sheddable } = await withIsolation(undefined, async (round) => {
    await round({ seconds: 2, times: 5 });
    return await round({ seconds: 4, times: 10 });
  });
  const servedOf = ({ statuses, sent }: Streamed) => (statuses['200'] ?? 0) / sent;
  expect([during.errors, critical.errors]).toEqual([{}, {}]);
  expect(servedOf(during)).toBeGreaterThan(0.6);
  expect(servedOf(critical)).toBeGreaterThan(0.6);
  // What the service can do beyond what is critical.
  expect(servedOf(sheddable)).toBeLessThan(0.2);
});
