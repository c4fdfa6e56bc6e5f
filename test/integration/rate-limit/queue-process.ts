import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** From the project's root, where npm runs everything: faults use it too, from a place of their own. */
const PROGRAM = 'test/integration/rate-limit/processes/queue-process.mjs';

/** A process that accepts and performs, to be killed. */
export class QueueProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(port: number, child: ChildProcess) {
    this.url = `http://127.0.0.1:${port}`;
    this.#child = child;
  }

  /** Resolves when it listens. */
  static async start(options: object): Promise<QueueProcess> {
    const child = fork(join(process.cwd(), PROGRAM), [JSON.stringify(options)]);
    const ended = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`it has ended (${code ?? signal}) before it listened`);
    });
    const [port] = await Promise.race([once(child, 'message'), ended]);
    ended.catch(() => {});
    return new QueueProcess(port as number, child);
  }

  /** It stands still, and does not know it. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}
