import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectNoMishaps } from '../server/mishaps.js';
import { CUSTOMERS, type Customer, QuotaFleet, type Reading, USUAL } from './fleet-bed.js';

expectNoMishaps();

const OTHERS = CUSTOMERS.filter((name) => name !== 'mallory');
const EVERYBODY = Object.fromEntries(CUSTOMERS.map((name) => [name, USUAL])) as Record<Customer, number>;
const TEN_TIMES = { ...EVERYBODY, mallory: 10 };

/**
 * Tests share the machine with others, and a fleet that stands still hears nothing: what is promised to the percent is
 * measured by the bench `quota` with the machine to itself. Here it is that somebody is held, and who.
 */
const HICCUPS = { retry: 2 };

function expectOthersUnharmed({ customers }: Reading): void {
  for (const name of OTHERS) {
    const { sent, refused } = customers[name];
    expect(sent).toBeGreaterThan(0);
    expect(refused).toBeLessThan(0.01 * sent);
  }
}

let fleet: QuotaFleet;

beforeAll(async () => {
  fleet = await QuotaFleet.start();
  await fleet.want(EVERYBODY);
  await fleet.untilFresh();
  // Code is compiled by then, and backends know what a request costs.
  await sleep(2_000);
});

afterAll(() => fleet.stop());

describe('eight backends, one of five customers at ten times its quota', HICCUPS, () => {
  it('hold it to its quota, and the others lose nothing', async () => {
    await fleet.want(TEN_TIMES);
    await sleep(2_000);
    await fleet.read();
    await sleep(5_000);
    const during = await fleet.read();
    expectOthersUnharmed(during);
    const { ofQuota, refused, sent } = during.customers.mallory;
    expect(ofQuota).toBeGreaterThan(0.5);
    expect(ofQuota).toBeLessThan(1.5);
    expect(refused).toBeGreaterThan(0.8 * sent);
  });

  it('go on when the coordinator is killed, and Redis comes back empty', async () => {
    await fleet.want(TEN_TIMES);
    await fleet.untilFresh();
    await fleet.read();
    await fleet.killCoordinator();
    await fleet.redis.kill();
    await sleep(1_000);
    await fleet.redis.restart();
    await sleep(3_000);
    await fleet.untilFresh();
    const during = await fleet.read();
    expectOthersUnharmed(during);
    expect(during.customers.mallory.ofQuota).toBeLessThan(2.5);
  });
});
