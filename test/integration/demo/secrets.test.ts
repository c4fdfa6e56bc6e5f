import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RedisServer } from '../../redis/redis-server.js';
import { until } from '../client/until.js';
import { childrenOf } from './children-of.js';
import { RunningDemo, RunningProgram } from './running-demo.js';

let folder: string;
let demo: RunningDemo | undefined;
let redis: RedisServer | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
});

afterEach(async () => {
  await demo?.stop();
  await redis?.stop();
  demo = undefined;
  redis = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** What everybody on this machine may read of a process. */
function argumentsOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
}

it('counts in the Redis of its environment, whose password no argument has', async () => {
  const password = 'a-password-of-redis';
  redis = await RedisServer.start(['--requirepass', password]);
  const url = `redis://:${password}@127.0.0.1:${redis.port}`;
  demo = await RunningDemo.start(['--load', '2'], { PLIMSOLL_REDIS_URL: url });
  const pids = [demo.child.pid!, ...childrenOf(demo.child.pid!)];
  expect(pids).toHaveLength(8);
  for (const pid of pids) expect(argumentsOf(pid)).not.toContain(password);
  for (const pid of pids.slice(1))
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain(password);
  const reader = new Redis(url);
  try {
    // Exports of a customer are limited there, and levels of quotas are agreed upon there.
    await expect.poll(() => reader.dbsize(), { timeout: 20_000 }).toBeGreaterThanOrEqual(2);
    expect((await reader.keys('*exports*')).length + (await reader.keys('*demo*')).length).toBeGreaterThan(0);
    await demo.eventually('goodput', ({ load }) => load.goodputPerSecond > 0, 20_000);
  } finally {
    reader.disconnect();
  }
});

it('opens the page without its token among the arguments of a browser', async () => {
  const seen = join(folder, 'arguments');
  const opener = join(folder, 'xdg-open');
  writeFileSync(opener, `#!/bin/sh\nprintf '%s\\n' "$@" > '${seen}.part' && mv '${seen}.part' '${seen}'\n`);
  chmodSync(opener, 0o755);
  demo = await RunningDemo.startPage(['--open'], {
    PATH: `${folder}:${process.env['PATH']}`,
    TMPDIR: folder,
  });
  await until('a browser', () => existsSync(seen), 10_000);
  const [file = '', ...rest] = readFileSync(seen, 'utf8').trimEnd().split('\n');
  expect(rest).toEqual([]);
  expect(file).not.toContain(demo.token);
  expect(readFileSync(file, 'utf8')).toContain(`url=${demo.page}"`);
  demo.child.kill('SIGTERM');
  await demo.exited;
  expect(existsSync(file)).toBe(false);
});

it.each(['SIGINT', 'SIGTERM'] as const)('leaves nothing behind when %s comes at once', async (signal) => {
  const ours = () => readdirSync(folder).filter((name) => name.startsWith('plimsoll-demo-'));
  const run = new RunningProgram(['demo', '--port', '0'], { TMPDIR: folder });
  await until('a folder', () => ours().length > 0, 20_000);
  run.child.kill(signal);
  expect(await run.exited).toBe(0);
  expect(ours()).toEqual([]);
  expect(run.stdout).toBe('');
});
