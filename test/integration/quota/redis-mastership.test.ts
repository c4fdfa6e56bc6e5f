import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RedisMastership, redisMastership } from '../../../src/quota/index.js';
import { RedisServer } from '../../redis/redis-server.js';
import { until } from '../client/until.js';
import { expectNoMishaps } from '../server/mishaps.js';

expectNoMishaps();

let redis: RedisServer;
const open: RedisMastership[] = [];
let overlaps = 0;
let watch: NodeJS.Timeout;

beforeEach(async () => {
  redis = await RedisServer.start();
  overlaps = 0;
  watch = setInterval(() => {
    if (open.filter(({ token }) => token !== undefined).length > 1) overlaps++;
  }, 2);
});

afterEach(async () => {
  clearInterval(watch);
  await Promise.all(open.splice(0).map((each) => each.close()));
  await redis.stop();
  // Whatever happened, there were never two.
  expect(overlaps).toBe(0);
});

async function candidate(address: string): Promise<RedisMastership> {
  const mastership = redisMastership({ url: redis.url, name: 'gpu' });
  mastership.announce(address);
  open.push(mastership);
  await mastership.start();
  return mastership;
}

function master(): RedisMastership | undefined {
  return open.find(({ token }) => token !== undefined);
}

describe('mastership by Redis', () => {
  it('is that of one, known to all, and goes over at once when it is given up', async () => {
    for (const address of ['http://a', 'http://b', 'http://c']) await candidate(address);
    await until('a master', () => master() !== undefined);
    const first = master()!;
    await until('known', () => open.every(({ address }) => address === first.address && address !== ''));
    const events: string[] = [];
    for (const [i, each] of open.entries()) {
      each.on('won', (token) => events.push(`${i} won ${token}`));
      each.on('lost', (token) => events.push(`${i} lost ${token}`));
    }
    // Longer than a term: it is renewed.
    await sleep(1_500);
    expect([master(), events]).toEqual([first, []]);
    const beganMs = performance.now();
    await first.close();
    await until('another', () => master() !== undefined);
    // A poll, not a term.
    expect(performance.now() - beganMs).toBeLessThan(900);
    const [i, j] = [open.indexOf(first), open.indexOf(master()!)];
    expect(events).toEqual([`${i} lost 1`, `${j} won 2`]);
    expect(first.token).toBeUndefined();
  });

  it('ends in time when Redis stands still, and comes back with another token', async () => {
    for (const address of ['http://a', 'http://b']) await candidate(address);
    await until('a master', () => master() !== undefined);
    const before = master()!.token!;
    const beganMs = performance.now();
    redis.pause();
    await until('none', () => master() === undefined);
    expect(performance.now() - beganMs).toBeLessThan(1_700);
    await sleep(500);
    expect(master()).toBeUndefined();
    redis.resume();
    await until('one', () => master() !== undefined);
    expect(master()!.token).toBeGreaterThan(before);
  });

  it('goes over to nobody for a term when Redis has forgotten, and its token still grows', async () => {
    for (const address of ['http://a', 'http://b']) await candidate(address);
    // Terms enough, so that a counter which began anew would be lower.
    for (let i = 0; i < 3; i++) {
      await until('a master', () => master() !== undefined);
      const token = master()!.token!;
      await until('heard', () => open.every(({ address }) => address === master()?.address));
      await sleep(400);
      const gone = master()!;
      await gone.close();
      open.splice(open.indexOf(gone), 1);
      await candidate(`http://${i}`);
      await until('the next', () => (master()?.token ?? 0) > token);
    }
    // All have heard of it by then.
    await sleep(400);
    const before = master()!.token!;
    expect(before).toBe(4);
    await redis.restart();
    await until('none', () => master() === undefined);
    await until('one', () => master() !== undefined);
    expect(master()!.token).toBeGreaterThan(before);
  });

  it('is had by a newcomer of an empty Redis only after a term', async () => {
    const beganMs = performance.now();
    await candidate('http://a');
    await until('a master', () => master() !== undefined);
    expect(performance.now() - beganMs).toBeGreaterThan(1_150);
    expect(performance.now() - beganMs).toBeLessThan(2_500);
  });

  it('needs no Redis to be closed', async () => {
    const mastership = await candidate('http://a');
    redis.pause();
    const beganMs = performance.now();
    await mastership.close();
    await mastership.close();
    expect(performance.now() - beganMs).toBeLessThan(700);
    redis.resume();
  });
});
