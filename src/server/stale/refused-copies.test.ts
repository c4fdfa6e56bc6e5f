import { describe, expect, it, vi } from 'vitest';
import type { GuardedRequest } from '../guarded-request.js';
import { exchange } from './exchange.contract.js';
import { RefusedCopies } from './refused-copies.js';
import { StaleCopies } from './stale-copies.js';

const request = (given: object = {}) =>
  ({
    method: 'GET',
    hasBody: false,
    refusal: { reason: 'utilization' },
    ...exchange(),
    ...given,
  }) as unknown as GuardedRequest;

function ownCopies(serveInsteadOfRefusing: boolean): StaleCopies {
  const stale = new StaleCopies({ serveInsteadOfRefusing });
  const { req, res } = exchange();
  stale.capture(req, res);
  res.end('old');
  return stale;
}

describe('copies for what is refused', () => {
  it('are those of the guard, where it was told so', () => {
    for (const isTold of [true, false]) {
      const copies = new RefusedCopies(ownCopies(isTold));
      expect([copies.mayServe(request()), copies.serve(request(), performance.now())]).toEqual([
        isTold,
        isTold,
      ]);
    }
    expect(new RefusedCopies(undefined).mayServe(request())).toBe(false);
  });

  it('are those of whoever stands in, where the guard has none', () => {
    const copies = new RefusedCopies(undefined);
    copies.standIn = { mayServe: () => true, serve: vi.fn(() => true) };
    expect([copies.mayServe(request()), copies.serve(request(), 5)]).toEqual([true, true]);
    expect(copies.standIn.serve).toHaveBeenCalledOnce();
  });

  it.each([
    [{ method: 'POST' }],
    [{ hasBody: true }],
    // Nothing was ever answered by this process, or nothing more is to be.
    [{ refusal: { reason: 'not-ready' } }],
  ])('are not for %j', (given) => {
    const copies = new RefusedCopies(ownCopies(true));
    copies.standIn = { mayServe: () => true, serve: () => true };
    expect([copies.mayServe(request(given)), copies.serve(request(given), 5)]).toEqual([false, false]);
  });
});
