import { Redis } from 'ioredis';
import { createLimiter, redisStore } from 'plimsoll/rate-limit';
import { forkOn } from '../../../bench/overload/cores.js';
import { Asked } from '../../../bench/overload/questions.js';
import { RedisServer } from '../../redis/redis-server.js';
import { type Fault, type Finding, kept, none, shown } from '../fault.js';
import type { Stage } from '../stage.js';
import { FakedClock } from '../tools/faked-clock.js';
import { type Taken, Takers } from '../tools/takers.js';

const LIMIT = 20;
const WINDOW_MS = 2_000;
const ALGORITHMS = [
  'token-bucket',
  'leaking-bucket',
  'fixed-window',
  'sliding-log',
  'sliding-counter',
  'gcra',
] as const;

async function aBed(stage: Stage): Promise<{ clock: FakedClock; redis: Redis; takers: Takers }> {
  const clock = await stage.start(new FakedClock());
  clock.demand(process.env['PLIMSOLL_REDIS_SERVER'] ?? 'redis-server');
  const server = await stage.start(RedisServer.start([], undefined, { before: clock.before }));
  const redis = stage.own(new Redis(server.port), (client) => client.disconnect());
  const store = stage.own(await redisStore({ url: server.url, connectMs: 10_000 }), (made) => made.close());
  // Patient: it is Redis who decides, however busy the machine is.
  const options = {
    limit: LIMIT,
    windowMs: WINDOW_MS,
    timeoutMs: 10_000,
    onStoreFailure: 'refuse',
    store,
  } as const;
  const takers = new Takers(
    ALGORITHMS.map((algorithm) => [algorithm, createLimiter({ name: algorithm, algorithm, ...options })]),
  );
  return { clock, redis, takers };
}

const wallSeconds = async (redis: Redis): Promise<number> => Number((await redis.time())[0]);

/** In a time of so many windows: the text's own bound, twice around the boundary of a fixed one, and one more at the ends. */
const most = (windows: number, more: number): number => LIMIT * (Math.ceil(windows) + 1 + more);

function within(what: string, { allowed }: Taken, bound: number): Finding {
  const all = ALGORITHMS.map((name) => `${name} ${allowed[name] ?? 0}`).join(', ');
  return kept(
    `${what}, of each algorithm pass at most ${bound}`,
    all,
    ALGORITHMS.every((name) => (allowed[name] ?? 0) <= bound),
  );
}

const SECONDS = 5;
const windows = (SECONDS * 1_000) / WINDOW_MS;

const back: Fault = {
  name: 'redis-clock-back',
  what: `the wall clock of Redis steps back by an hour (libfaketime), under six limits of ${LIMIT} in ${WINDOW_MS / 1_000} s that are asked 50 times a second`,
  withinSeconds: 60,
  run: async (stage) => {
    const { clock, redis, takers } = await aBed(stage);
    const before = await takers.during(SECONDS * 1_000);
    const fromS = await wallSeconds(redis);
    clock.step(-3_600);
    const toS = await wallSeconds(redis);
    const after = await takers.during(SECONDS * 1_000);
    return [
      kept('the clock has stepped', `${toS - fromS} s`, Math.abs(toS - fromS + 3_600) < 10),
      within(`in ${SECONDS} s before`, before, most(windows, 0)),
      within(`in ${SECONDS} s after`, after, most(windows, 0)),
      none(
        'waits, resets and remainders below 0',
        before.negative + after.negative,
        before.asked + after.asked,
      ),
      kept(
        'the longest wait that was told: at most the step and a window',
        shown(after.longestWaitMs / 1_000, 's'),
        after.longestWaitMs <= 3_600_000 + 2 * WINDOW_MS,
      ),
    ];
  },
};

const ahead: Fault = {
  name: 'redis-clock-ahead',
  what: `the wall clock of Redis steps ahead by an hour, then by another (libfaketime), under six limits of ${LIMIT} in ${WINDOW_MS / 1_000} s that are asked 50 times a second`,
  withinSeconds: 60,
  run: async (stage) => {
    const { clock, redis, takers } = await aBed(stage);
    await takers.during(1_000);
    const fromS = await wallSeconds(redis);
    clock.step(3_600);
    const first = await takers.during(SECONDS * 1_000);
    clock.step(7_200);
    const second = await takers.during(SECONDS * 1_000);
    const toS = await wallSeconds(redis);
    return [
      kept('the clock has stepped', `${toS - fromS} s`, toS - fromS > 7_190),
      // A window ends early, once for each step.
      within(`in ${SECONDS} s after the first`, first, most(windows, 1)),
      within(`in ${SECONDS} s after the second`, second, most(windows, 1)),
      none(
        'waits, resets and remainders below 0',
        first.negative + second.negative,
        first.asked + second.asked,
      ),
    ];
  },
};

const STEPS_S = [3_600, -3_600, 86_400, 0];
const ROUND_MS = 3_000;

/** Durations are monotonic: what a process believes the time of day to be makes no difference to limits in its memory. */
const ofProcess: Fault = {
  name: 'process-clock-steps',
  what: `the wall clock of a process with six limits of ${LIMIT} in ${WINDOW_MS / 1_000} s in memory steps by ${STEPS_S.join(', ')} s (libfaketime), each asked 50 times a second`,
  withinSeconds: 60,
  run: async (stage) => {
    const clock = await stage.start(new FakedClock());
    clock.demand(process.execPath);
    const script = new URL('../processes/limits.js', import.meta.url);
    const child = await stage.start(new Asked(forkOn(clock.before, script), 'limits in memory'));
    const options = { algorithms: ALGORITHMS, limit: LIMIT, windowMs: WINDOW_MS, ms: ROUND_MS };
    const steps: number[] = [];
    const findings: Finding[] = [];
    let [asked, negative] = [0, 0];
    for (const step of STEPS_S) {
      clock.step(step);
      const taken = await child.ask<Taken & { readonly wallMs: number }>('take', options);
      steps.push(Math.round((taken.wallMs - Date.now()) / 1_000));
      asked += taken.asked;
      negative += taken.negative;
      findings.push(within(`in ${ROUND_MS / 1_000} s at ${step} s`, taken, most(ROUND_MS / WINDOW_MS, 0)));
    }
    const isStepped = steps.every((at, i) => Math.abs(at - STEPS_S[i]!) < 10);
    return [
      kept('the clock has stepped', steps.map((at) => `${at} s`).join(', '), isStepped),
      ...findings,
      none('waits, resets and remainders below 0', negative, asked),
    ];
  },
};

export const CLOCK_FAULTS: readonly Fault[] = [back, ahead, ofProcess];
