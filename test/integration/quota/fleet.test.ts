import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectNoMishaps } from '../server/mishaps.js';
import { CUSTOMERS, type Customer, QuotaFleet, type Reading, USUAL } from './fleet-bed.js';

expectNoMishaps();

const OTHERS = CUSTOMERS.filter((name) => name !== 'mallory');
const EVERYBODY = Object.fromEntries(CUSTOMERS.map((name) => [name, USUAL])) as Record<Customer, number>;
const TEN_TIMES = { ...EVERYBODY, mallory: 10 };

/** A machine that stands still in the middle of a request charges it to whoever was running, and makes it slow. */
const HICCUPS = { retry: 2 };

/**
 * Beyond its quota a customer may use what it had saved up, two seconds' worth, once for each time that somebody else began
 * to count: backends by themselves, then a new coordinator. And a tenth, as always.
 */
const mostOf = ({ seconds }: Reading): number => (1.1 * (seconds + 4)) / seconds;

function expectOthersUnharmed({ customers }: Reading): void {
  for (const name of OTHERS) {
    const { sent, refused, failed } = customers[name];
    expect({ name, refused, failed }).toEqual({ name, refused: 0, failed: 0 });
    expect(sent).toBeGreaterThan(0);
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
  it('hold it to its quota within 2 s, and the others lose nothing', async () => {
    await fleet.want(EVERYBODY);
    await sleep(1_000);
    await fleet.read();
    await sleep(5_000);
    const before = await fleet.read();
    expectOthersUnharmed(before);
    expect(before.customers.mallory).toMatchObject({ refused: 0, failed: 0 });
    await fleet.want(TEN_TIMES);
    await sleep(2_000);
    expectOthersUnharmed(await fleet.read());
    await sleep(8_000);
    const during = await fleet.read();
    expectOthersUnharmed(during);
    expect(Math.abs(during.customers.mallory.ofQuota - 1)).toBeLessThan(0.1);
    expect(during.customers.mallory.refused).toBeGreaterThan(0.8 * during.customers.mallory.sent);
    expect(during.othersP99Ms).toBeLessThan(1.3 * before.othersP99Ms);
  });
});

describe(
  'while that goes on, nobody within its quota is refused, and who is not stays within bounds',
  HICCUPS,
  () => {
    beforeEach(async () => {
      await fleet.want(TEN_TIMES);
      await fleet.untilFresh();
      await sleep(1_000);
      await fleet.read();
    });

    async function expectBounded(): Promise<void> {
      await fleet.untilFresh();
      await sleep(2_000);
      const during = await fleet.read();
      expectOthersUnharmed(during);
      expect(during.customers.mallory.ofQuota).toBeLessThan(mostOf(during));
    }

    it('when the coordinator is killed', async () => {
      await fleet.killCoordinator();
      await sleep(3_000);
      expect(await fleet.stages()).toEqual(Array.from({ length: 8 }, () => 'fresh'));
      await expectBounded();
    });

    it('when Redis is killed, and comes back empty', async () => {
      await fleet.redis.kill();
      await sleep(3_500);
      await fleet.redis.restart();
      await expectBounded();
    });

    it('when Redis stands still for 10 s', async () => {
      fleet.redis.pause();
      await sleep(10_000);
      fleet.redis.resume();
      await expectBounded();
    });
  },
);
