import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Quota } from '../../../src/quota/index.js';
import { until } from '../client/until.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { areFresh, QuotaBed } from './quota-bed.js';

expectNoMishaps();

const bed = new QuotaBed();

/** As docs/wire.md has them, by their first byte. */
const [WHOLE, BRIEF, HELD] = [1, 2, 3];

const CHANNEL = 'plimsoll:quota:{search}:pushed';

const levelOf = (quota: Quota, name: string) =>
  quota.snapshot().customers.find(({ customer }) => customer === name)?.level ?? Number.POSITIVE_INFINITY;

/** Two backends, at which one customer wants far too much. */
async function aFleet() {
  const server = await bed.redis();
  const quotas = await bed.quotas(2, server.url);
  const listener = bed.admin(server);
  const pushed: number[] = [];
  listener.on('messageBuffer', (_channel, bytes: Buffer) => pushed.push(bytes[0]!));
  await listener.subscribe(CHANNEL);
  const traffic = bed.traffic();
  traffic.add('heavy', quotas, 800);
  await until('it is held', () => quotas.every((quota) => levelOf(quota, 'heavy') < 100));
  return { server, quotas, pushed, traffic };
}

/** So many in a row without names. */
const areBrief = (pushed: readonly number[], least: number) =>
  pushed.length >= least && pushed.slice(-least).every((version) => version !== WHOLE);

describe('names in levels', () => {
  it('are pushed once, and again when there is another one', async () => {
    const { quotas, pushed, traffic } = await aFleet();
    await until('levels without them', () => areBrief(pushed, 4));
    // Of four in a row one tells of everybody.
    await until(
      'one of each',
      () => areBrief(pushed, 4) && [BRIEF, HELD].every((each) => pushed.slice(-4).includes(each)),
    );
    pushed.length = 0;
    traffic.add('light', quotas, 800);
    await until('the new one is held', () => quotas.every((quota) => levelOf(quota, 'light') < 100));
    expect(pushed).toContain(WHOLE);
    await until('levels without them again', () => areBrief(pushed, 4));
    expect(quotas.every((quota) => levelOf(quota, 'heavy') < 100)).toBe(true);
    for (const quota of quotas) expect(quota.snapshot().counts).toMatchObject({ unreadable: 0 });
  });

  it('come with an answer to a backend that starts when they were said long ago', async () => {
    const { server, pushed, traffic } = await aFleet();
    await until('levels without them', () => areBrief(pushed, 4));
    const newcomer = await bed.quota(server.url, { coordinates: false });
    traffic.add('heavy', [newcomer], 200);
    await until('levels', () => areFresh([newcomer]));
    await until('it is held there, too', () => levelOf(newcomer, 'heavy') < 100);
    const { repaired } = newcomer.snapshot().counts!;
    expect(repaired).toBeGreaterThanOrEqual(1);
    await sleep(1_000);
    // From then on they are pushed.
    expect(newcomer.snapshot().counts).toMatchObject({ repaired: expect.any(Number), unreadable: 0 });
    expect(newcomer.snapshot().counts!.pushed).toBeGreaterThanOrEqual(2);
  });

  it('are those of the levels: another coordinator says them anew', async () => {
    const { quotas, pushed } = await aFleet();
    await until('levels without them', () => areBrief(pushed, 4));
    const [coordinator] = quotas.filter(({ isCoordinator }) => isCoordinator);
    const other = quotas.find((quota) => quota !== coordinator)!;
    pushed.length = 0;
    await coordinator!.close();
    await until('levels of the other', () => other.isCoordinator && areBrief(pushed, 2));
    expect(pushed).toContain(WHOLE);
    expect(other.stage).toBe('fresh');
  });
});
