// A guarded server with two kinds of request, each of which times its own slices: what the accounts are compared with.
import { createServer, type ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { type CpuMode, createGuard } from 'plimsoll/server';
import { answerQuestions } from '../overload/questions.js';
import { listen } from '../overload/servers/node-http.js';
import { stolenMs } from '../overload/stolen-time.js';

/**
 * What handlers used as they themselves saw it, by the clock and as CPU, and how many of each kind were answered. The two
 * differ by what others took of the core meanwhile: to a clock a slice that waits for its core looks busy.
 */
const truth = {
  '/warm-up': { clockMs: 0, cpuMs: 0, requests: 0 },
  '/small': { clockMs: 0, cpuMs: 0, requests: 0 },
  '/large': { clockMs: 0, cpuMs: 0, requests: 0 },
};
type Kind = keyof typeof truth;

const SLICE_MS: Record<Kind, number> = { '/warm-up': 0.01, '/small': 0.25, '/large': 1.25 };

const WAITS: readonly (() => Promise<unknown>)[] = [
  () => wait(2),
  () => new Promise(process.nextTick),
  () => nextTurn(),
  () => Promise.resolve(),
  () => wait(1),
];

/** Four slices with waits of different kinds between them. All that happens in this function is timed. */
async function handle(kind: Kind, res: ServerResponse): Promise<void> {
  for (let slice = 0; slice < 4; slice++) {
    const startedCpuMs = cpuMs();
    const startedMs = performance.now();
    while (performance.now() - startedMs < SLICE_MS[kind]);
    const waited = slice < 3 ? WAITS[(truth[kind].requests + slice) % WAITS.length]!() : res.end('done');
    truth[kind].clockMs += performance.now() - startedMs;
    truth[kind].cpuMs += cpuMs() - startedCpuMs;
    await waited;
  }
  truth[kind].requests++;
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

let begunMs = 0;
let guard: ReturnType<typeof createGuard>;

answerQuestions({
  listen: (mode: CpuMode) => {
    guard = createGuard({
      cpu: { mode },
      mode: 'off',
      routes: [{ path: '/warm-up' }, { path: '/small' }, { path: '/large' }],
    });
    const server = createServer(
      guard.protect(async ({ url }, res) => {
        await handle(url as Kind, res);
      }),
    );
    guard.attach(server);
    return listen(server);
  },
  books: () => ({ truth: structuredClone(truth), cpu: guard.snapshot().cpu, waitedMs: stolenMs() - begunMs }),
  // Starting up, and while the clients do, they may have been on one core.
  begin: () => {
    begunMs = stolenMs();
  },
});
