import type { ChildProcess } from 'node:child_process';
import { forkOn, type Place } from '../overload/cores.js';
import { Asked } from '../overload/questions.js';
import { type BackendOptions, LOOPBACK } from './backends/options.js';

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

const SCRIPT = new URL('./backends/main.js', import.meta.url);

/** A backend, seen from the bench. */
export class Backend {
  readonly port: number;
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #asked: Asked;
  readonly #exited: Promise<Exit>;

  private constructor(host: string, port: number, child: ChildProcess, asked: Asked, exited: Promise<Exit>) {
    this.port = port;
    this.url = `http://${host}:${port}`;
    this.#child = child;
    this.#asked = asked;
    this.#exited = exited;
  }

  /** Resolves when it listens. */
  static async start(options: BackendOptions, place?: Place): Promise<Backend> {
    const child = forkOn(place, SCRIPT);
    const exited = new Promise<Exit>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    const asked = new Asked(child, 'a backend');
    const { host = LOOPBACK } = options;
    return new Backend(host, await asked.ask<number>('listen', options), child, asked, exited);
  }

  workedMs(): Promise<number> {
    return this.#asked.ask('workedMs');
  }

  /** It asks to be sent no more; when that was, by the clock of the machine. */
  lameDuck(): Promise<number> {
    return this.#asked.ask('lameDuck');
  }

  /** Resolves when it has ended. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<Exit> {
    this.#child.kill(signal);
    return this.#exited;
  }

  /** It stands still, and does not know it; its connections stay open. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    await this.#asked.stop();
  }
}
