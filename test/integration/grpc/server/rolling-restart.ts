import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import * as grpc from '@grpc/grpc-js';
import { root } from '../../../tidy/sources.js';

const PROGRAM = join(root, 'test/integration/grpc/server/processes/backend.mjs');
/** It is the restart that is tested: a process that has only just begun, on a busy machine, may shed. */
const UNSHED = { mode: 'dry-run' };
const DRAIN = { spreadMs: 200, timeoutMs: 10_000 };

/** One place of a fleet: a process, and after its end another one on the same port. */
class Backend {
  port = 0;
  #child: ChildProcess | undefined = undefined;

  async start(): Promise<void> {
    const child = fork(PROGRAM, [JSON.stringify({ port: this.port, drain: DRAIN, options: UNSHED })]);
    this.#child = child;
    const [message] = (await once(child, 'message')) as [{ port?: number; failed?: string }];
    if (message.port === undefined) throw new Error(message.failed);
    this.port = message.port;
  }

  /** Its exit code. */
  async end(): Promise<number | null> {
    const exited = once(this.#child!, 'exit') as Promise<[number | null]>;
    this.#child!.kill('SIGTERM');
    const [code] = await exited;
    return code;
  }

  kill(): void {
    this.#child?.kill('SIGKILL');
  }
}

export interface Restarted {
  readonly calls: number;
  readonly failed: Readonly<Record<string, number>>;
  readonly restarts: number;
  readonly exitCodes: readonly (number | null)[];
}

const asIs = (bytes: Buffer): Buffer => bytes;
const AT_ONCE = 20;
const BACKENDS = 3;

/**
 * Calls backends that are restarted in turn, one after the other, with a plain client of grpc-js that goes round them and
 * retries nothing but what it may without being told to: calls that a server has provably not seen.
 */
export async function restartUnderLoad(calls: number, leastRestarts: number): Promise<Restarted> {
  const backends = Array.from({ length: BACKENDS }, () => new Backend());
  const failed: Record<string, number> = {};
  let client: grpc.Client | undefined;
  try {
    await Promise.all(backends.map((backend) => backend.start()));
    const target = `ipv4:${backends.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
    client = new grpc.Client(target, grpc.credentials.createInsecure(), {
      'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
      // A backend that is back is to be used while the test lasts.
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 100,
    });
    const calling = client;
    const call = () =>
      new Promise<void>((resolve) => {
        calling.makeUnaryRequest('/test.Echo/Unary', asIs, asIs, Buffer.from('hi'), (error) => {
          if (error)
            failed[`${error.code} ${error.details}`] = (failed[`${error.code} ${error.details}`] ?? 0) + 1;
          resolve();
        });
      });
    let begun = 0;
    let restarts = 0;
    const exitCodes: (number | null)[] = [];
    const isOver = () => begun >= calls && restarts >= leastRestarts;
    const restarting = (async () => {
      for (let i = 0; !isOver(); i++) {
        const backend = backends[i % BACKENDS]!;
        exitCodes.push(await backend.end());
        await backend.start();
        restarts++;
      }
    })();
    const looping = Array.from({ length: AT_ONCE }, async () => {
      while (!isOver()) {
        begun++;
        await call();
      }
    });
    await Promise.all([restarting, ...looping]);
    return { calls: begun, failed, restarts, exitCodes };
  } finally {
    client?.close();
    for (const backend of backends) backend.kill();
  }
}
