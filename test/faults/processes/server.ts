// A guarded server, alone in its process, to be treated badly: `listen` starts it, `usage` says how it is.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { type GuardSnapshot, type RunningServer, type ServeOptions, serve } from 'plimsoll/server';
import { answerQuestions } from '../../../bench/overload/questions.js';

export interface Usage {
  readonly rssBytes: number;
  readonly snapshot: GuardSnapshot;
}

/** More than the kernel takes of an answer that nobody reads. */
const LARGE = Buffer.alloc(8 * 2 ** 20, 'x');

let running: RunningServer;
/** What the server is told its utilization is, beside what it measures. */
let level = 0;
const held: unknown[] = [];

function block(ms: number): void {
  for (const endMs = performance.now() + ms; performance.now() < endMs; );
}

/** `/slow/50` answers after 50 ms, `/block/500` stands still for so long, `/large` has 8 MB, all else answers at once. */
async function handler(req: IncomingMessage, res: ServerResponse): Promise<void> {
  for await (const _ of req);
  const [, kind, ms] = req.url!.split('/');
  if (kind === 'slow') await wait(Number(ms));
  if (kind === 'block') block(Number(ms));
  res.end(kind === 'large' ? LARGE : 'hello');
}

answerQuestions({
  listen: async (options: Omit<ServeOptions, 'signals' | 'onError'>) => {
    running = await serve(handler, {
      host: '127.0.0.1',
      ...options,
      // Others use the machine, too: a queue that is long because the process was not given a processor is none of ours.
      signals: { mostSlowdown: 8, custom: [{ name: 'told', utilization: () => level }] },
      // Bodies that break off are errors of those who sent them, which the handler sees.
      onError: () => {},
    });
    return running.port;
  },
  level: (told: number) => {
    level = told;
  },
  /** So much of V8's heap is in use then. */
  fill: (share: number) => {
    const isFull = () => {
      const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
      return used >= share * limit;
    };
    // 1 MB each.
    while (!isFull()) held.push(new Array(2 ** 17).fill(0.5));
  },
  /** What was let go is in use until V8 collects it, which it does when about as much is wanted as is left. */
  release: async () => {
    held.length = 0;
    for (let i = 0; i < 150; i++) await wait(5, new Array(2 ** 17).fill(0.5));
  },
  usage: (): Usage => ({ rssBytes: process.memoryUsage.rss(), snapshot: running.guard.snapshot() }),
});
