import { setTimeout as sleep } from 'node:timers/promises';
import {
  CUSTOMERS,
  type Customer,
  QuotaFleet,
  type Reading,
  USUAL,
} from '../../../test/integration/quota/fleet-bed.js';
import { atLeast, atMost } from '../../overload/checks.js';
import { roundTo } from '../../overload/statistics.js';
import type { Check, Report } from '../../report.js';

const OTHERS = CUSTOMERS.filter((name) => name !== 'mallory');
const EVERYBODY = Object.fromEntries(CUSTOMERS.map((name) => [name, USUAL])) as Record<Customer, number>;
const TEN_TIMES = { ...EVERYBODY, mallory: 10 };

interface Phase {
  readonly name: string;
  readonly reading: Reading;
}

/**
 * Eight backends, a Redis, five customers of which one goes to ten times its quota; then the coordinator is killed, Redis
 * is killed and comes back empty, and Redis stands still. It takes most of two cores, and wants them for itself.
 */
export async function measureFleet(): Promise<Report> {
  const fleet = await QuotaFleet.start();
  try {
    const phases = await run(fleet);
    return {
      bench: 'quota: eight backends on Redis, one of five customers at ten times its quota',
      rows: phases.map(rowOf),
      checks: checksOf(phases.map(({ reading }) => reading)),
    };
  } finally {
    await fleet.stop();
  }
}

async function run(fleet: QuotaFleet): Promise<Phase[]> {
  const phases: Phase[] = [];
  const phase = async (name: string, ms: number): Promise<void> => {
    await sleep(ms);
    phases.push({ name, reading: await fleet.read() });
  };
  await fleet.want(EVERYBODY);
  await fleet.untilFresh();
  // Code is compiled by then, and backends know what a request costs.
  await sleep(8_000);
  await fleet.read();
  await phase('all within their quotas', 20_000);
  await fleet.want(TEN_TIMES);
  await phase('10×, the first 2 s', 2_000);
  await phase('10×, from then on', 20_000);
  await fleet.killCoordinator();
  await phase('the coordinator is killed', 6_000);
  await fleet.redis.kill();
  await phase('Redis is gone', 4_000);
  await fleet.redis.restart();
  await phase('Redis is back, empty', 6_000);
  fleet.redis.pause();
  await phase('Redis stands still', 10_000);
  fleet.redis.resume();
  await phase('Redis goes on', 6_000);
  return phases;
}

/** Of all the others together. */
function othersOf({ customers }: Reading): { sent: number; refused: number; failed: number } {
  const sum = (field: 'sent' | 'refused' | 'failed') =>
    OTHERS.reduce((added, name) => added + customers[name][field], 0);
  return { sent: sum('sent'), refused: sum('refused'), failed: sum('failed') };
}

function rowOf({ name, reading }: Phase): object {
  const { sent, refused, failed } = othersOf(reading);
  return {
    name,
    'over its quota: CPU of quota': roundTo(reading.customers.mallory.ofQuota, 3),
    'others: sent': sent,
    'others: 429': refused,
    'others: failed': failed,
    'others: p99 ms': roundTo(reading.othersP99Ms, 1),
  };
}

/**
 * While nobody can say how things stand, a customer may use what it had saved up, two seconds' worth, once for each time
 * that somebody else begins to count: backends by themselves, then a new coordinator. And a tenth, as always.
 */
function checksOf(all: readonly Reading[]): Check[] {
  const [before, , held, ...faults] = all;
  const worst = Math.max(
    ...faults.map(({ seconds, customers }) => (customers.mallory.ofQuota * seconds) / (seconds + 4)),
  );
  return [
    atMost('held to its quota from 2 s on: CPU of quota', held!.customers.mallory.ofQuota, 1.1),
    atLeast('and gets it', held!.customers.mallory.ofQuota, 0.9),
    atMost('429 of the others, all phases', sumOver(all, 'refused'), 0),
    atMost('other failures of the others, all phases', sumOver(all, 'failed'), 0),
    atMost("the others' p99, of before", held!.othersP99Ms / before!.othersP99Ms, 1.3),
    atMost('faults: most used, of quota and savings', worst, 1.1),
  ];
}

function sumOver(readings: readonly Reading[], field: 'refused' | 'failed'): number {
  return readings.reduce((added, reading) => added + othersOf(reading)[field], 0);
}
