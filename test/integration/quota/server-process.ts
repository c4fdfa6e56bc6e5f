import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { CapacityServerSnapshot } from '../../../src/quota/index.js';
import { root } from '../../tidy/sources.js';

const PROGRAM = join(root, 'test/integration/quota/processes/capacity-server.mjs');

/** A server in a process of its own. */
export class ServerProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  /** Resolves when it listens. */
  static async start(options: object): Promise<ServerProcess> {
    const child = fork(PROGRAM, [JSON.stringify(options)]);
    const ended = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`it has ended (${code ?? signal}) before it listened`);
    });
    const [{ url }] = (await Promise.race([once(child, 'message'), ended])) as [{ url: string }];
    ended.catch(() => {});
    return new ServerProcess(url, child);
  }

  async snapshot(): Promise<CapacityServerSnapshot> {
    const answered = once(this.#child, 'message');
    this.#child.send('snapshot');
    return (await answered)[0];
  }

  /** It stands still, and does not know it. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}
