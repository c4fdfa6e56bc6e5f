import { afterEach, expect, it } from 'vitest';
import { type Client, createClient } from '../../../src/client/index.js';
import { EchoProcess } from './echo-process.js';
import { until } from './until.js';

const owned: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of owned.splice(0).reverse()) await end();
});

async function aBackend(): Promise<EchoProcess> {
  const backend = await EchoProcess.start();
  owned.push(() => backend.end('SIGKILL'));
  return backend;
}

/** Silence is found out in some tenths of a second instead of seconds. */
const QUICK = { activeMs: 100, answerTimeoutMs: 100, httpTimeoutMs: 300, downMs: 50, mostDownMs: 200 };

function aClient(...backends: readonly EchoProcess[]): Client {
  const client = createClient({ backends: backends.map(({ url }) => url), health: QUICK });
  owned.push(() => client.destroy());
  return client;
}

const stateOf = (client: Client, { url }: EchoProcess) =>
  client.snapshot().backends.find((backend) => backend.url === url)!;

const viaOf = (client: Client, backend: EchoProcess) =>
  (stateOf(client, backend).health as { via?: string } | undefined)?.via;

it('a process that stands still gets no requests, though its kernel accepts connections, until it goes on', async () => {
  const [sleeper, other] = [await aBackend(), await aBackend()];
  const client = aClient(sleeper, other);
  await until('health of both', () => [sleeper, other].every((each) => viaOf(client, each) === 'udp'));
  // Some connections are in use, none is left over from the start.
  await Promise.all(Array.from({ length: 10 }, async (_, i) => (await client.fetch(`/${i}`)).text()));
  sleeper.pause();
  await until('its silence', () => stateOf(client, sleeper).state === 'connecting');
  // The connection that is opened to see whether it is there.
  await until('a connection', () => stateOf(client, sleeper).connections > 0);
  const overMs = performance.now() + 1_000;
  while (performance.now() < overMs) expect((await client.fetch('/', { timeoutMs: 5_000 })).status).toBe(200);
  expect(stateOf(client, sleeper)).toMatchObject({ state: 'connecting', active: 0 });
  sleeper.resume();
  await until('its word', () => stateOf(client, sleeper).state === 'ready');
});

it('when it is the only one it is sent to all the same, and what was sent is answered when it goes on', async () => {
  const sleeper = await aBackend();
  const client = aClient(sleeper);
  await until('health', () => viaOf(client, sleeper) === 'udp');
  sleeper.pause();
  await until('silence', () => viaOf(client, sleeper) !== 'udp');
  const asked = client.fetch('/late');
  await until('a request', () => stateOf(client, sleeper).active === 1);
  sleeper.resume();
  expect((await asked).status).toBe(200);
});
