import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { GuardSnapshot, ServeOptions } from '../../../src/server/index.js';
import { root } from '../../tidy/sources.js';
import { RawClient } from './raw-client.js';

const PROGRAM = join(root, 'test/integration/server/processes/server.mjs');

interface Message {
  readonly port?: number;
  readonly failed?: string;
  readonly snapshot?: GuardSnapshot;
  readonly drained?: string;
}

/** A guarded server in a process of its own: what it does with signals, and how it ends. */
export class ServerProcess {
  readonly child: ChildProcess;
  port = 0;
  /** The code of an error when it could not listen. */
  failed: string | undefined = undefined;
  /** The state it was in when its drain was over. */
  drained: string | undefined = undefined;
  stderr = '';
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  hasExited = false;
  readonly #clients: RawClient[] = [];
  #snapshot: GuardSnapshot | undefined = undefined;

  private constructor(options: object) {
    this.child = fork(PROGRAM, [JSON.stringify(options)], { stdio: ['ignore', 'inherit', 'pipe', 'ipc'] });
    this.child.stderr!.on('data', (chunk) => {
      this.stderr += chunk;
    });
    this.child.on('message', ({ port, failed, snapshot, drained }: Message) => {
      this.port = port ?? this.port;
      this.failed = failed ?? this.failed;
      this.#snapshot = snapshot ?? this.#snapshot;
      this.drained = drained ?? this.drained;
    });
    this.exited = once(this.child, 'exit').then(([code, signal]) => {
      this.hasExited = true;
      return { code, signal };
    });
  }

  static async start(options: Omit<ServeOptions, 'onDrained'> = {}): Promise<ServerProcess> {
    const made = new ServerProcess(options);
    await once(made.child, 'message');
    return made;
  }

  client(): RawClient {
    const client = new RawClient(this.port);
    this.#clients.push(client);
    return client;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Also tells of its state, so that when it resolves the command has been followed. */
  async command(command: 'ready' | 'snapshot'): Promise<GuardSnapshot> {
    this.child.send(command);
    await once(this.child, 'message');
    return this.#snapshot!;
  }

  async until(holds: (snapshot: GuardSnapshot) => boolean): Promise<void> {
    while (!holds(await this.command('snapshot'))) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.close();
    if (!this.hasExited) this.child.kill('SIGKILL');
    await this.exited;
  }
}
