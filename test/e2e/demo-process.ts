import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from '../integration/client/until.js';

/** `plimsoll demo` in a process of its own, on a port that is free. */
export class DemoProcess {
  readonly child: ChildProcess;
  readonly #exited: Promise<unknown>;
  output = '';

  private constructor(load: number) {
    const args = ['dist/cli/main.js', 'demo', '--port', '0', '--load', String(load)];
    this.child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.child.stdout!, this.child.stderr!])
      stream.on('data', (chunk) => {
        this.output += chunk;
      });
    this.#exited = once(this.child, 'exit');
  }

  /** Resolves when it knows what its fleet can do. */
  static async start(load: number): Promise<DemoProcess> {
    const demo = new DemoProcess(load);
    await until('a demo under load', () => /the fleet can serve/.test(demo.output), 90_000);
    return demo;
  }

  /** With the token. */
  get url(): string {
    return /the page is at (\S+)/.exec(this.output)![1]!;
  }

  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), 15_000);
    await this.#exited;
    clearTimeout(timer);
  }
}
