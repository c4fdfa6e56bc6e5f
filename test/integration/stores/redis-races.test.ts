import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ALGORITHM_NAMES } from '../../../src/core/index.js';
import { RedisServer } from '../../redis/redis-server.js';
import { root } from '../../tidy/sources.js';

const PROGRAM = join(root, 'test/integration/stores/limiter-process.mjs');

let redis: RedisServer;
const children: ChildProcess[] = [];

beforeAll(async () => {
  redis = await RedisServer.start();
});

afterEach(async () => {
  for (const child of children.splice(0)) {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
});

afterAll(() => redis.stop());

interface Limiting {
  readonly port: number;
  /** So many at once; resolves to how many were allowed. */
  take(order: { algorithm: string; count: number; cost: number }): Promise<number>;
}

/** Processes that share one Redis and one prefix. */
async function processes(count: number, limit: number): Promise<Limiting[]> {
  const options = JSON.stringify({ url: redis.url, prefix: `${randomUUID()}:`, limit });
  return Promise.all(
    Array.from({ length: count }, async () => {
      const child = fork(PROGRAM, [options]);
      children.push(child);
      const ended = once(child, 'exit').then(([code]) => {
        throw new Error(`a process has ended with exit code ${code}`);
      });
      ended.catch(() => {});
      const heard = async () =>
        (await Promise.race([once(child, 'message'), ended]))[0] as Record<string, number>;
      const { port } = await heard();
      const take = async (order: object): Promise<number> => {
        const answer = heard();
        child.send(order);
        return (await answer)['allowed']!;
      };
      return { port: port!, take };
    }),
  );
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

describe('many processes on one Redis', () => {
  it('let exactly 5 of 1,000 through, whatever the algorithm', async () => {
    const limiting = await processes(4, 5);
    for (const algorithm of ALGORITHM_NAMES) {
      const allowed = limiting.map(({ take }) => take({ algorithm, count: 250, cost: 1 }));
      expect([algorithm, sum(await Promise.all(allowed))]).toEqual([algorithm, 5]);
    }
  });

  it('spend exactly a budget of 100 units, asked for 2,000 times', async () => {
    const limiting = await processes(2, 100);
    for (const algorithm of ['token-bucket', 'sliding-log'] as const) {
      const allowed = limiting.map(({ take }) => take({ algorithm, count: 1_000, cost: 1 }));
      expect([algorithm, sum(await Promise.all(allowed))]).toEqual([algorithm, 100]);
    }
  });

  it('serve 5 a minute over two HTTP servers', async () => {
    const limiting = await processes(2, 5);
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const answer = await fetch(`http://127.0.0.1:${limiting[i % 2]!.port}/`);
        await answer.text();
        return answer.status;
      }),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(35);
  });
});
