import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { root } from '../../../tidy/sources.js';
import { until } from '../../client/until.js';

/** A line of a log, read. */
export type Line = Readonly<Record<string, unknown>> & { readonly msg: string; readonly level: string };

/** All of them; what is no JSON fails the test. */
export function linesOf(text: string): Line[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}

/** `plimsoll gateway` in a process of its own, whose standard output is read, or goes to somebody else. */
export class LoggingGateway {
  readonly child: ChildProcess;
  readonly folder: string;
  readonly exited: Promise<number | null>;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });
  stdout = '';
  stderr = '';

  private constructor(settings: string, output: 'pipe' | Writable, port: string) {
    this.folder = mkdtempSync(join(tmpdir(), 'plimsoll-log-'));
    const file = join(this.folder, 'plimsoll.yaml');
    // A machine that is busy with other tests is no reason to refuse anything here.
    const overload = settings.includes('overload:') ? '' : 'overload: { mode: off }\n';
    const drain = settings.includes('drain:') ? '' : 'drain: { spread: 10ms, timeout: 5s }\n';
    const common = `listen: 127.0.0.1:${port}\n${drain}${overload}`;
    writeFileSync(file, common + settings.replaceAll('FOLDER', this.folder));
    this.child = spawn(process.execPath, [join(root, 'dist/cli/main.js'), 'gateway', file], {
      stdio: ['ignore', output, 'pipe'],
    });
    this.child.stdout?.on('data', (chunk) => {
      this.stdout += chunk;
    });
    this.child.stderr!.on('data', (chunk) => {
      this.stderr += chunk;
    });
    this.exited = once(this.child, 'close').then(([code]) => code as number | null);
  }

  static async start(
    settings: string,
    output: 'pipe' | Writable = 'pipe',
    port = '0',
  ): Promise<LoggingGateway> {
    const made = new LoggingGateway(settings, output, port);
    await until(
      'a gateway that runs',
      () => made.stderr.includes(' holds: ') || made.child.exitCode !== null,
      30_000,
    );
    return made;
  }

  get port(): number {
    return Number(/listens on http:\/\/\S+:(\d+)/.exec(this.stderr)?.[1]);
  }

  get lines(): Line[] {
    return linesOf(this.stdout);
  }

  /** Other settings, as they are: nothing is added. */
  write(settings: string): void {
    writeFileSync(join(this.folder, 'plimsoll.yaml'), settings);
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  /** Over connections that are kept. The status, the headers, and how long it took. */
  ask(path: string, headers: Readonly<Record<string, string>> = {}) {
    const startedMs = performance.now();
    return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string; ms: number }>(
      (resolve, reject) => {
        const { port } = this;
        request({ host: '127.0.0.1', port, path, headers, agent: this.#agent }, (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          answer.on('end', () => {
            const ms = performance.now() - startedMs;
            resolve({ status: answer.statusCode!, headers: answer.headers, text, ms });
          });
        })
          .on('error', reject)
          .end();
      },
    );
  }

  /** So many, sixteen at a time; the statuses, and the longest that one took. */
  async askMany(count: number, path: string): Promise<{ statuses: Map<number, number>; mostMs: number }> {
    const statuses = new Map<number, number>();
    let left = count;
    let mostMs = 0;
    const one = async () => {
      while (left-- > 0) {
        const { status, ms } = await this.ask(path);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        mostMs = Math.max(mostMs, ms);
      }
    };
    await Promise.all(Array.from({ length: 16 }, one));
    return { statuses, mostMs };
  }

  /** SIGTERM, and its exit code. */
  async end(): Promise<number | null> {
    this.#agent.destroy();
    this.child.kill('SIGTERM');
    return await this.exited;
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    this.child.kill('SIGKILL');
    if (this.child.exitCode === null && this.child.signalCode === null) await this.exited;
    rmSync(this.folder, { recursive: true, force: true });
  }
}
