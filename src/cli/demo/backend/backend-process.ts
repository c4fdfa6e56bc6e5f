import { type RunningServer, serve } from '../../../server/index.js';
import { answerPrimary, tellPrimary } from '../child.js';
import type { BackendNews, BackendOptions, BackendOrder } from '../messages.js';
import { costOf, Work } from './work.js';

/**
 * Six processes share two cores, so each takes a request every 30 to 40 ms. With the guard's own 12 in a queue the last of
 * them would wait for half of its deadline; five are as many as keep the process busy.
 */
const LEAST_QUEUED = 5;

/** All of the work is done by one thread: with two there is always one that can go on, and more only take longer each. */
const CONCURRENCY = 2;

/** Short: its one client hears by UDP, within milliseconds. */
const DRAIN = { spreadMs: 500, timeoutMs: 8_000 };

/** A process that serves: `plimsoll/server` around work that takes a while. */
export function runBackend(): void {
  let running: RunningServer | undefined;
  let work: Work | undefined;
  answerPrimary<BackendOrder>(async (order) => {
    switch (order.kind) {
      case 'start':
        work = new Work(order.options);
        work.slowdown = order.options.slowdown;
        running = await start(work, order.options);
        break;
      case 'slowdown':
        if (work !== undefined) work.slowdown = order.times;
        break;
      case 'guard':
        if (running !== undefined) running.guard.mode = modeOf(order.isOn);
        break;
      case 'lame-duck':
        running?.guard.lameDuck();
    }
  });
  process.on('SIGTERM', () => {
    if (running === undefined) process.exit(0);
    void running.close(DRAIN).then(() => process.exit(0));
  });
}

async function start(
  work: Work,
  { name, port, isGuarded }: BackendOptions,
): Promise<RunningServer | undefined> {
  const tell = tellPrimary<BackendNews>;
  const body = `served by ${name}\n`;
  try {
    const running = await serve(
      async (req, res) => {
        await work.do(costOf(req.url));
        res.setHeader('content-length', body.length);
        res.end(body);
      },
      {
        port,
        host: '127.0.0.1',
        mode: modeOf(isGuarded),
        queue: { leastRequests: LEAST_QUEUED },
        concurrency: CONCURRENCY,
        exitOnSignal: false,
      },
    );
    tell({ kind: 'listening' });
    return running;
  } catch (error) {
    tell({ kind: 'failed', message: (error as Error).message });
    return undefined;
  }
}

function modeOf(isGuarded: boolean): 'enforce' | 'off' {
  return isGuarded ? 'enforce' : 'off';
}
