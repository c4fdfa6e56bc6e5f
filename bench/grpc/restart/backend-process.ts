import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** What the program of a backend is told. */
export interface BackendOptions {
  /** Of the guard. */
  readonly options: object;
  readonly drain: { readonly spreadMs: number; readonly timeoutMs: number };
}

/** One place of a fleet: a process, and after its end another one on the same port. */
export class BackendProcess {
  port = 0;
  readonly #program: string | URL;
  readonly #options: BackendOptions;
  #child: ChildProcess | undefined = undefined;

  constructor(program: string | URL, options: BackendOptions) {
    this.#program = program;
    this.#options = options;
  }

  async start(): Promise<void> {
    const child = fork(this.#program, [JSON.stringify({ port: this.port, ...this.#options })]);
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
