import { setTimeout as sleep } from 'node:timers/promises';
import { createQuota, type DedicatedCoordinatorSnapshot, type Quota } from 'plimsoll/quota';
import { Child } from '../../integration/quota/child.js';
import { Traffic } from '../../integration/quota/traffic.js';
import { RedisServer } from '../../redis/redis-server.js';
import { atMost, type Fault, type Finding, kept, none } from '../fault.js';
import { type Stage, until } from '../stage.js';

const LIMIT = 100;
const LIMITS = {
  customers: [
    { customer: 'heavy', perSecond: LIMIT },
    { customer: 'light', perSecond: LIMIT },
  ],
  everyoneElse: { perSecond: 10 },
};
const BACKENDS = 4;

/** Of its quota: what it may have saved up, and half a second's worth for what is not exact. */
const SAVED_SECONDS = 5;

interface Bed {
  readonly redis: RedisServer;
  readonly coordinators: readonly Child[];
  readonly quotas: readonly Quota[];
  readonly traffic: Traffic;
}

/** Four backends that hear levels; one customer asks for eight times its quota, one for a part of it. */
async function aFleet(stage: Stage): Promise<Bed> {
  const redis = await stage.start(RedisServer.start());
  const shared = { redis: { url: redis.url, connectMs: 10_000 }, service: 'search', limits: LIMITS };
  const coordinators = [0, 1].map(() =>
    stage.own(new Child('quota-coordinator', shared), (child) => child.kill()),
  );
  await Promise.all(coordinators.map((child) => child.said()));
  const quotas = await Promise.all(
    Array.from({ length: BACKENDS }, async () =>
      stage.own(await createQuota({ ...shared, coordinates: false }), (quota) => quota.close()),
    ),
  );
  await untilStage(quotas, 'fresh');
  const traffic = await stage.start(new Traffic());
  traffic.add('heavy', quotas, 8 * LIMIT);
  traffic.add('light', quotas, 0.6 * LIMIT);
  // Held to its quota by then, with nothing saved up.
  await sleep(5_000);
  traffic.take('heavy');
  traffic.take('light');
  return { redis, coordinators, quotas, traffic };
}

const untilStage = (quotas: readonly Quota[], wanted: string, withinMs = 30_000): Promise<number> =>
  until(`all are ${wanted}`, () => quotas.every(({ stage }) => stage === wanted), withinMs);

/** What holds for both customers from the last look until now. */
function sharesOf(traffic: Traffic, what: string, seconds: number): Finding[] {
  const [heavy, light] = [traffic.take('heavy'), traffic.take('light')];
  return [
    none(
      `${what}, requests of who is within its quota that are refused`,
      light.refused,
      light.refused + light.admitted,
    ),
    atMost(
      `${what}, who asks for 8 times its quota of ${LIMIT} a second gets, a tenth and savings of ${SAVED_SECONDS} s included`,
      heavy.admitted,
      Math.round(1.1 * LIMIT * (seconds + SAVED_SECONDS)),
    ),
  ];
}

async function coordinatorOf(among: readonly Child[]): Promise<Child> {
  for (;;) {
    for (const child of among)
      if ((await child.ask<DedicatedCoordinatorSnapshot>('snapshot')).isCoordinator) return child;
    await sleep(10);
  }
}

const coordinatorKilled: Fault = {
  name: 'coordinator-killed',
  what: `SIGKILL to the coordinator of quotas of ${BACKENDS} backends; another process stands ready`,
  withinSeconds: 60,
  run: async (stage) => {
    const { coordinators, quotas, traffic } = await aFleet(stage);
    const { token } = quotas[0]!.snapshot();
    const old = await coordinatorOf(coordinators);
    const beganMs = performance.now();
    await old.kill();
    await until('levels of another', () => quotas.every((quota) => quota.snapshot().token > token));
    const tookMs = performance.now() - beganMs;
    await sleep(2_000);
    const stages = new Set(quotas.map((quota) => quota.stage));
    return [
      // A term of 1.2 s and a quarter of one, then up to 1.5 s of listening; and a turn.
      atMost('levels of another are there after', tookMs / 1_000, 3.5, 's'),
      ...sharesOf(traffic, 'meanwhile', (performance.now() - beganMs) / 1_000),
      kept('levels are fresh', [...stages].join(', '), stages.size === 1 && stages.has('fresh')),
    ];
  },
};

const redisGone: Fault = {
  name: 'quota-redis-stopped',
  what: `SIGSTOP to the Redis of quotas for 40 s, SIGCONT then; ${BACKENDS} backends`,
  withinSeconds: 100,
  run: async (stage) => {
    const { redis, quotas, traffic } = await aFleet(stage);
    const beganMs = performance.now();
    const since = (ms: number) => (performance.now() - ms) / 1_000;
    redis.pause();
    const holdingMs = await untilStage(quotas, 'holding');
    const heldMs = performance.now();
    await sleep(15_000);
    const held = sharesOf(traffic, 'for 15 s of holding the last parts', since(beganMs));
    await untilStage(quotas, 'safe', 60_000);
    const safeMs = performance.now();
    await sleep(5_000);
    const safe = sharesOf(
      traffic,
      'until 5 s after that, with an equal part for each backend',
      since(heldMs) - 15,
    );
    redis.resume();
    const freshMs = await untilStage(quotas, 'fresh');
    await sleep(2_000);
    return [
      atMost('each backend keeps to its part as last known after', holdingMs / 1_000, 4, 's'),
      ...held,
      atMost('each has the safe part after', (safeMs - beganMs) / 1_000, 36, 's'),
      ...safe,
      atMost('when Redis answers again, levels are fresh after', freshMs / 1_000, 5, 's'),
      ...sharesOf(traffic, 'from then on', freshMs / 1_000 + 2),
    ];
  },
};

const redisEmpty: Fault = {
  name: 'quota-redis-restarted-empty',
  what: `SIGKILL to the Redis of quotas, there again 1 s later with nothing in it; ${BACKENDS} backends`,
  withinSeconds: 60,
  run: async (stage) => {
    const { redis, quotas, traffic } = await aFleet(stage);
    const beganMs = performance.now();
    const { token } = quotas[0]!.snapshot();
    await redis.kill();
    await sleep(1_000);
    await redis.restart();
    const startedMs = performance.now();
    const isNew = (quota: Quota) => quota.stage === 'fresh' && quota.snapshot().token > token;
    await until('levels of a new term', () => quotas.every(isNew)).catch(() => {});
    const tookMs = performance.now() - startedMs;
    await sleep(1_000);
    return [
      atMost('levels are there again after', tookMs / 1_000, 8, 's'),
      ...sharesOf(traffic, 'meanwhile', (performance.now() - beganMs) / 1_000),
    ];
  },
};

export const QUOTA_FAULTS: readonly Fault[] = [coordinatorKilled, redisGone, redisEmpty];
