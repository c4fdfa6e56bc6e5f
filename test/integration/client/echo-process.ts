import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from '../../tidy/sources.js';

const PROGRAM = join(root, 'test/integration/client/echo-process.mjs');

/** A backend in a process of its own. */
export class EchoProcess {
  readonly port: number;
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;

  private constructor(port: number, child: ChildProcess, exited: Promise<number | null>) {
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.#child = child;
    this.#exited = exited;
  }

  /** Resolves when it listens; 0 is any port. */
  static async start(port = 0): Promise<EchoProcess> {
    const child = fork(PROGRAM, [String(port)]);
    const exited = once(child, 'exit').then(([code]) => code as number | null);
    const ended = exited.then((code) => {
      throw new Error(`a backend has ended with exit code ${code} before it listened`);
    });
    const [listening] = await Promise.race([once(child, 'message'), ended]);
    return new EchoProcess(listening as number, child, exited);
  }

  /** It stands still, and does not know it; its kernel goes on accepting connections. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** Its exit code, once it has ended. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    this.#child.kill(signal);
    return this.#exited;
  }
}
