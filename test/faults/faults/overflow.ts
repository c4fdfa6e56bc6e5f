import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { QueueProcess } from '../../integration/rate-limit/queue-process.js';
import { RedisServer } from '../../redis/redis-server.js';
import { atLeast, atMost, type Fault, type Finding, none } from '../fault.js';
import { type Stage, until } from '../stage.js';
import { TinyDisk } from '../tools/tiny-disk.js';

const ALWAYS = ['--appendonly', 'yes', '--appendfsync', 'always'];
/** Of `timeoutMs`, 500 by default, and a margin for a machine that is busy. */
const ANSWER_MS = 500 + 500;

/** What was promised, and how long it took to say so. */
interface Posted {
  readonly accepted: string[];
  refused: number;
  slowestMs: number;
}

async function post(url: () => string, isOver: () => boolean, posted: Posted): Promise<void> {
  for (let i = 0; !isOver(); i++) {
    const startedMs = performance.now();
    try {
      const answer = await fetch(`${url()}/do`, { method: 'POST', body: `${i}` });
      const text = await answer.text();
      if (answer.status === 202) posted.accepted.push((JSON.parse(text) as { id: string }).id);
      else posted.refused++;
      posted.slowestMs = Math.max(posted.slowestMs, performance.now() - startedMs);
    } catch {
      // Its process was killed before it had answered: nothing was promised.
    }
    await sleep(5);
  }
}

function performedIn(file: string): Set<string> {
  if (!existsSync(file)) return new Set();
  const lines = readFileSync(file, 'utf8').split('\n');
  return new Set(lines.filter((line) => line.startsWith('performed ')).map((line) => line.slice(10)));
}

interface Bed {
  redis: RedisServer;
  queue: QueueProcess;
  readonly restartQueue: () => Promise<void>;
}

/** Something is done to Redis or to those who perform, while four clients post; then everything that got a 202 is waited for. */
async function lose(
  stage: Stage,
  args: readonly string[],
  act: (bed: Bed) => Promise<void>,
): Promise<Finding[]> {
  const folder = stage.own(mkdtempSync(join(tmpdir(), 'plimsoll-faults-')), (path) =>
    rmSync(path, { recursive: true, force: true }),
  );
  const redis = await stage.start(RedisServer.start(args));
  const options = { url: redis.url, file: join(folder, 'performed'), takeOverMs: 2_000 };
  const start = async () => stage.own(await QueueProcess.start(options), (made) => made.kill());
  const bed: Bed = {
    redis,
    queue: await start(),
    restartQueue: async () => {
      await bed.queue.kill();
      bed.queue = await start();
    },
  };
  const posted: Posted = { accepted: [], refused: 0, slowestMs: 0 };
  let isOver = false;
  stage.own(undefined, () => {
    isOver = true;
  });
  const posting = Array.from({ length: 4 }, () =>
    post(
      () => bed.queue.url,
      () => isOver,
      posted,
    ),
  );
  await until('some requests', () => posted.accepted.length >= 50);
  await act(bed);
  const { length } = posted.accepted;
  await until('some more', () => posted.accepted.length >= length + 50);
  isOver = true;
  await Promise.all(posting);
  const lost = () => {
    const performed = performedIn(options.file);
    return posted.accepted.filter((id) => !performed.has(id)).length;
  };
  const tookMs = await until('all are performed', () => lost() === 0, 40_000).catch(() => 40_000);
  return [
    none('requests that got a 202 and were not performed', lost(), posted.accepted.length),
    atMost('the last of them is performed after', tookMs / 1_000, 15, 's'),
    atMost('a client is answered, 202 or 503, within', posted.slowestMs, ANSWER_MS, 'ms'),
    atLeast('requests that were accepted', posted.accepted.length, 100),
  ];
}

const performersKilled: Fault = {
  name: 'queue-process-killed',
  what: 'SIGKILL to the process that accepts and performs queued requests, 5 times, another one in its place',
  withinSeconds: 90,
  run: (stage) =>
    lose(stage, [], async (bed) => {
      for (let kill = 0; kill < 5; kill++) {
        await sleep(300);
        await bed.restartQueue();
      }
    }),
};

const redisKilled: Fault = {
  name: 'queue-redis-killed',
  what: 'SIGKILL to the Redis of an overflow queue (appendfsync always), 3 times, there again with its file',
  withinSeconds: 90,
  run: (stage) =>
    lose(stage, ALWAYS, async ({ redis }) => {
      for (let kill = 0; kill < 3; kill++) {
        await sleep(500);
        await redis.restart();
      }
    }),
};

/** With `always`, a Redis that cannot write ends itself: it has promised what it cannot keep. */
const diskFull: Fault = {
  name: 'queue-disk-full',
  what: 'the disk below the Redis of an overflow queue (appendfsync always) is full for 3 s; Redis ends itself, and is started again when there is room',
  withinSeconds: 90,
  run: async (stage) => {
    const disk = await stage.start(TinyDisk.mount());
    return lose(stage, [...ALWAYS, '--dir', disk.path], async ({ redis }) => {
      disk.fill();
      await sleep(3_000);
      disk.free();
      await redis.restart();
    });
  },
};

export const OVERFLOW_FAULTS: readonly Fault[] = [performersKilled, redisKilled, diskFull];
