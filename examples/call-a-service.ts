// Two backends, one of which shuts down while requests go on: none is lost. Run: npm test -- examples
import { createClient } from 'plimsoll/client';
import { serve } from 'plimsoll/server';

function start(name: string) {
  return serve((_req, res) => res.end(name), { host: '127.0.0.1', exitOnSignal: false });
}

const first = await start('first');
const second = await start('second');
const client = createClient({
  name: 'greetings',
  backends: [first, second].map(({ port }) => `http://127.0.0.1:${port}`),
});

async function ask(times: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = { first: 0, second: 0, failed: 0 };
  for (let request = 0; request < times; request++) {
    const name = await client.fetch('/', { timeoutMs: 1_000 }).then(
      (answer) => answer.text(),
      () => 'failed',
    );
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Polls, for at most three seconds. */
async function until(isSo: () => boolean): Promise<void> {
  const endMs = performance.now() + 3_000;
  while (!isSo() && performance.now() < endMs) await new Promise((resolve) => setTimeout(resolve, 5));
}

await until(() => client.snapshot().states.ready === 2);
console.log('both are ready     ', await ask(100));

// As on SIGTERM: says that it is a lame duck, serves on for a moment, exits when its clients have let go.
const drained = first.close({ spreadMs: 300, timeoutMs: 2_000 });
console.log('one begins to drain', await ask(100));
await until(() => client.snapshot().states['lame-duck'] === 1);
console.log('it is a lame duck  ', await ask(100));

await drained;
console.log('it is gone         ', await ask(100));

const { counts } = client.snapshot();
console.log(`${counts.answered} answered, ${counts.failed} failed`);
await client.close();
await second.close({ spreadMs: 0, timeoutMs: 100 });
