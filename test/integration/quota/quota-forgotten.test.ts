import { describe, expect, it } from 'vitest';
import { freePort } from '../../redis/redis-server.js';
import { Child } from './child.js';
import { LIMITS, QuotaBed } from './quota-bed.js';

const bed = new QuotaBed();

/** Ends by itself, or the test does not. */
async function endOf(url: string): Promise<number | null> {
  const child = new Child('quota-forgetful', {
    redis: { url, connectMs: 500 },
    service: 'search',
    limits: LIMITS,
  });
  bed.own(() => child.kill());
  return await child.ended();
}

describe('a process that does not close its quota', () => {
  it('ends all the same when it has nothing else to do', async () => {
    const { url } = await bed.redis();
    expect(await endOf(url)).toBe(0);
  });

  it('ends also when there is no Redis', async () => {
    expect(await endOf(`redis://127.0.0.1:${await freePort()}`)).toBe(0);
  });
});
