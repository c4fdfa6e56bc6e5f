import { setTimeout as sleep } from 'node:timers/promises';
import { createLimiter, redisStore } from 'plimsoll/rate-limit';
import { RedisServer } from '../../redis/redis-server.js';
import { atMost, type Fault, type Finding, kept, none, shown } from '../fault.js';
import { type Stage, until } from '../stage.js';
import { DelayingProxy } from '../tools/delaying-proxy.js';
import { alwaysHolds, LimiterWatch, PER_SECOND, wasTried } from '../tools/limiter-watch.js';

const LOAD = `a limiter of ${PER_SECOND} decisions a second`;

/** What is done to Redis, and how long after its end Redis has to decide again. */
interface Mishap {
  readonly times: number;
  /** 50 ms to 1 s at random to connect anew, or 0.2 to 2 s until one that failed is tried again; and to be seen. */
  readonly backWithinMs: number;
  readonly choice: 'allow' | 'refuse';
  act(server: RedisServer): Promise<void>;
}

async function under(stage: Stage, { times, backWithinMs, choice, act }: Mishap): Promise<Finding[]> {
  const server = await stage.start(RedisServer.start());
  const watch = await stage.start(LimiterWatch.start(server.url, choice));
  let longestMs = 0;
  for (let i = 0; i < times; i++) {
    await act(server);
    longestMs = Math.max(longestMs, await watch.untilDecided(30_000));
  }
  const found = await watch.finish();
  return [
    ...alwaysHolds(choice, found),
    atMost('when it is back, all decisions are its own after', longestMs, backWithinMs, 'ms'),
    wasTried(found),
  ];
}

const killed: Fault = {
  name: 'redis-killed',
  what: `SIGKILL to Redis, 3 times, back after 1 s, under ${LOAD} that refuses without it`,
  withinSeconds: 60,
  run: (stage) =>
    under(stage, {
      times: 3,
      backWithinMs: 1_500,
      choice: 'refuse',
      act: async (server) => {
        await server.kill();
        await sleep(1_000);
        await server.restart();
      },
    }),
};

const stopped: Fault = {
  name: 'redis-stopped',
  what: `SIGSTOP to Redis for 3 s, 2 times, under ${LOAD} that allows without it`,
  withinSeconds: 60,
  run: (stage) =>
    under(stage, {
      times: 2,
      backWithinMs: 1_500,
      choice: 'allow',
      act: async (server) => {
        server.pause();
        await sleep(3_000);
        server.resume();
      },
    }),
};

const LIMIT = 5;

/** Counts begin at nothing, and hold from then on. */
const emptied: Fault = {
  name: 'redis-restarted-empty',
  what: `Redis is killed and there again at once, with nothing in it, while a limit of ${LIMIT} a minute is used up`,
  withinSeconds: 30,
  run: async (stage) => {
    const server = await stage.start(RedisServer.start());
    const store = stage.own(await redisStore({ url: server.url, connectMs: 20_000 }), (made) => made.close());
    // Patient, so that it is Redis who decides.
    const limiter = createLimiter({
      algorithm: 'gcra',
      rate: `${LIMIT}/minute`,
      timeoutMs: 10_000,
      onStoreFailure: 'refuse',
      store,
    });
    const allowed = async () => {
      const decisions = await Promise.all(Array.from({ length: 50 }, () => limiter.take('ann')));
      return decisions.filter((decision) => decision.allowed).length;
    };
    const before = await allowed();
    await server.restart();
    await until('a connection', () => store.snapshot().isReady);
    const [again, after] = [await allowed(), await allowed()];
    return [
      kept(`of 50 pass before: ${LIMIT}`, shown(before), before === LIMIT),
      kept(`when it has forgotten, as much again once: ${LIMIT}`, shown(again), again === LIMIT),
      none('and no more after that', after, 50),
    ];
  },
};

/** Slow and within the time: exact. Slower than that: in time, and by the rule. */
const slow: Fault = {
  name: 'redis-slow',
  what: `a proxy between limiter and Redis delays each answer by 20 ms, then by 300 ms for 3 s, under ${LOAD} that refuses without it`,
  withinSeconds: 60,
  run: async (stage) => {
    const server = await stage.start(RedisServer.start());
    const proxy = await stage.start(DelayingProxy.start(server.port));
    const watch = await stage.start(LimiterWatch.start(proxy.url, 'refuse'));
    const start = await watch.decided();
    proxy.delayMs = 20;
    await sleep(2_000);
    const near = await watch.decided();
    proxy.delayMs = 300;
    await sleep(3_000);
    const far = await watch.decided();
    proxy.delayMs = 0;
    const backMs = await watch.untilDecided(30_000);
    const found = await watch.finish();
    return [
      atMost(
        'at 20 ms, decisions without Redis (a hiccup of the machine aside), of 1,000',
        near.undecided - start.undecided,
        50,
      ),
      kept(
        'at 300 ms, decisions without Redis: more than half',
        `${far.undecided - near.undecided} of ${far.decisions - near.decisions}`,
        far.undecided - near.undecided > (far.decisions - near.decisions) / 2,
      ),
      ...alwaysHolds('refuse', found),
      atMost('when it is fast again, all decisions are its own after', backMs, 1_500, 'ms'),
    ];
  },
};

export const REDIS_FAULTS: readonly Fault[] = [killed, stopped, emptied, slow];
