import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import * as grpc from '@grpc/grpc-js';
import { plimsollInterceptor, registerPolicies, serviceConfigFor } from 'plimsoll/grpc';
import { afterEach, expect, it } from 'vitest';
import { clientOf, say, until } from './echo-service.js';

const SCRIPT = fileURLToPath(new URL('echo-backend.mjs', import.meta.url));
/** `PLIMSOLL_RESTART_CALLS=50000` looks longer than a test run can. */
const CALLS = Number(process.env['PLIMSOLL_RESTART_CALLS'] ?? 5_000);
const BACKENDS = 4;
const CALLERS = 16;

const policies = registerPolicies(grpc);

class BackendProcess {
  readonly address: string;
  readonly #child: ChildProcess;

  constructor(child: ChildProcess, address: string) {
    this.#child = child;
    this.address = address;
  }

  static async start(port = 0): Promise<BackendProcess> {
    const child = fork(SCRIPT, [String(port)]);
    const [listening] = (await once(child, 'message')) as [number];
    return new BackendProcess(child, `127.0.0.1:${listening}`);
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return this.#child.exitCode;
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    const [code] = (await ended) as [number | null];
    return code;
  }

  async restart(
    signal: NodeJS.Signals,
  ): Promise<{ readonly code: number | null; readonly next: BackendProcess }> {
    const code = await this.end(signal);
    return { code, next: await BackendProcess.start(Number(this.address.split(':')[1])) };
  }
}

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function load(idempotent: boolean) {
  const backends = await Promise.all(Array.from({ length: BACKENDS }, () => BackendProcess.start()));
  ends.push(() => Promise.all(backends.map((backend) => backend.end('SIGKILL'))));
  const interceptor = plimsollInterceptor({ idempotent });
  const client = clientOf(backends, {
    interceptors: [interceptor],
    'grpc.service_config': serviceConfigFor('weighted', { subset: false }),
  });
  ends.push(() => client.close());
  const failures: string[] = [];
  let answered = 0;
  let isOver = false;
  const callers = Array.from({ length: CALLERS }, async () => {
    for (let count = 0; !isOver; count++) {
      const { error, reply } = await say(client, `call ${count}`);
      if (error !== null) failures.push(error.message);
      else if (reply!.text !== `call ${count}`) failures.push(`answered with ${reply!.text}`);
      else answered++;
    }
  });
  const ready = () => policies.snapshot()[0]?.backends.filter(({ state }) => state === 'ready').length;
  const allBack = () => until(() => ready() === BACKENDS);
  const finish = async () => {
    isOver = true;
    await Promise.all(callers);
  };
  ends.push(finish);
  await allBack();
  return { backends, interceptor, failures, allBack, finish, answered: () => answered };
}

it('loses no call when backends are asked to end, one after the other, again and again', async () => {
  const { backends, interceptor, failures, allBack, finish, answered } = await load(false);
  let restarts = 0;
  while (answered() < CALLS || restarts < BACKENDS) {
    const index = restarts++ % BACKENDS;
    const { code, next } = await backends[index]!.restart('SIGTERM');
    backends[index] = next;
    expect(code).toBe(0);
    await allBack();
  }
  await finish();
  expect(failures).toEqual([]);
  expect(answered()).toBeGreaterThanOrEqual(CALLS);
  expect(interceptor.snapshot()).toMatchObject({ running: 0, active: 0 });
  await until(() => policies.snapshot()[0]!.backends.every(({ active }) => active === 0));
}, 600_000);

it('loses nothing that may be done twice when they are killed', async () => {
  const { backends, failures, allBack, finish, answered, interceptor } = await load(true);
  for (let index = 0; index < BACKENDS; index++) {
    const before = answered();
    await until(() => answered() > before + 500);
    const { next } = await backends[index]!.restart('SIGKILL');
    backends[index] = next;
    await allBack();
  }
  await finish();
  expect(failures).toEqual([]);
  const { calls, attempts } = interceptor.snapshot();
  expect(attempts).toBeGreaterThan(calls);
}, 600_000);
