import { setTimeout as sleep } from 'node:timers/promises';
import { RedisServer } from '../../../test/redis/redis-server.js';
import { atMost } from '../../overload/checks.js';
import { roundTo } from '../../overload/statistics.js';
import type { Report } from '../../report.js';
import { startChild } from '../child.js';
import type { Failures, FailuresOptions } from '../children/failures.js';

const TIMES = 20;
const PER_SECOND = 2_000;
const TIMEOUT_MS = 50;
const MARGIN_MS = 10;

/** What is done to Redis, and undone. */
const MISHAPS: Record<string, (server: RedisServer) => Promise<void>> = {
  killed: async (server) => {
    await server.kill();
    await sleep(300);
    await server.restart();
  },
  stopped: async (server) => {
    server.pause();
    await sleep(700);
    server.resume();
  },
  'stopped for long': async (server) => {
    server.pause();
    await sleep(2_500);
    server.resume();
  },
  'restarted empty': (server) => server.restart(),
};

/** Redis is treated badly under load: each decision is there in time all the same. */
export async function measureFailures(): Promise<Report[]> {
  const rows = [];
  const checks = [];
  for (const [name, mishap] of Object.entries(MISHAPS)) {
    console.error(`ratelimit: Redis ${name}, ${TIMES} times`);
    const found = await under(mishap);
    const boundMs = TIMEOUT_MS + found.longestDelayMs + MARGIN_MS;
    rows.push({
      redis: name,
      decisions: found.decisions,
      'without it': found.undecided,
      'slowest ms': roundTo(found.slowestMs, 1),
      'longest delay of the process ms': roundTo(found.longestDelayMs, 1),
    });
    checks.push(
      atMost(`Redis ${name}: slowest decision in ms`, found.slowestMs, roundTo(boundMs, 1)),
      atMost(`Redis ${name}: errors nobody caught, calls left over`, found.mishaps + found.pending, 0),
    );
  }
  return [{ bench: `ratelimit: Redis killed, stopped, restarted ${TIMES} times under load`, rows, checks }];
}

async function under(mishap: (server: RedisServer) => Promise<void>): Promise<Failures> {
  const server = await RedisServer.start();
  const child = startChild();
  try {
    const options: FailuresOptions = { url: server.url, perSecond: PER_SECOND };
    await child.ask('startDeciding', options);
    for (let i = 0; i < TIMES; i++) {
      await sleep(200);
      await mishap(server);
    }
    await sleep(2_000);
    return await child.ask<Failures>('stopDeciding');
  } finally {
    await child.stop();
    await server.stop();
  }
}
