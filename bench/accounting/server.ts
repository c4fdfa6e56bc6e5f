// A guarded server with two kinds of request, each of which times its own slices: what the accounts are compared with.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { type CpuMode, createGuard } from 'plimsoll/server';
import { answerQuestions } from '../overload/questions.js';
import { listen } from '../overload/servers/node-http.js';

/** Busy milliseconds as the handlers themselves saw them, and how many of each kind were answered. */
const truth = { '/small': { busyMs: 0, requests: 0 }, '/large': { busyMs: 0, requests: 0 } };
type Kind = keyof typeof truth;

const SLICE_MS: Record<Kind, number> = { '/small': 0.25, '/large': 1.25 };

function slice(kind: Kind): void {
  const startedMs = performance.now();
  while (performance.now() - startedMs < SLICE_MS[kind]);
  truth[kind].busyMs += performance.now() - startedMs;
}

/** Four slices with a wait of another kind between each two. */
async function handle(kind: Kind): Promise<void> {
  slice(kind);
  await wait(2);
  slice(kind);
  await readFile(new URL(import.meta.url));
  slice(kind);
  await nextTurn();
  await Promise.resolve();
  slice(kind);
  truth[kind].requests++;
}

let guard: ReturnType<typeof createGuard>;

answerQuestions({
  listen: (mode: CpuMode) => {
    guard = createGuard({
      cpu: { mode },
      mode: 'off',
      routes: [{ path: '/small' }, { path: '/large' }],
    });
    const server = createServer(
      guard.protect(async ({ url }, res) => {
        await handle(url === '/small' ? '/small' : '/large');
        res.end('done');
      }),
    );
    guard.attach(server);
    return listen(server);
  },
  books: () => ({ truth: structuredClone(truth), cpu: guard.snapshot().cpu }),
});
