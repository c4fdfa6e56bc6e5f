import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../client/until.js';

/** From the project's root, where npm runs everything: a bench starts gateways too, from a place of its own. */
const PROGRAM = 'dist/cli/main.js';

/** `plimsoll gateway` in a process of its own, with a file that can be changed. */
export class GatewayProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  readonly #folder: string;
  readonly #file: string;
  stderr = '';

  private constructor(settings: string, env: Readonly<Record<string, string>>) {
    this.#folder = mkdtempSync(join(tmpdir(), 'plimsoll-gateway-'));
    this.#file = join(this.#folder, 'plimsoll.yaml');
    writeFileSync(this.#file, settings);
    this.child = spawn(process.execPath, [join(process.cwd(), PROGRAM), 'gateway', this.#file], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...env },
    });
    this.child.stderr!.on('data', (chunk) => {
      this.stderr += chunk;
    });
    this.exited = once(this.child, 'exit').then(([code]) => code as number | null);
  }

  /** Resolves when it listens, or has ended. One that does neither is ended, and what it said is in the error. */
  static async start(settings: string, env: Readonly<Record<string, string>> = {}): Promise<GatewayProcess> {
    const made = new GatewayProcess(settings, env);
    const isThere = () => made.stderr.includes(' holds: ') || made.child.exitCode !== null;
    try {
      await until('a gateway that runs', isThere, 30_000);
    } catch (cause) {
      // Nobody else knows of it.
      await made.stop();
      throw new Error(`a gateway did not start; it said: ${made.stderr}`, { cause });
    }
    return made;
  }

  get port(): number {
    return Number(/listens on http:\/\/\S+:(\d+)/.exec(this.stderr)?.[1]);
  }

  url(path = '/'): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** As editors and deployments do it: another file takes its name. */
  write(settings: string): void {
    const next = `${this.#file}.next`;
    writeFileSync(next, settings);
    renameSync(next, this.#file);
  }

  /** Resolves when it has said how often it holds what the file says, or that it does not. */
  async reload(settings: string): Promise<void> {
    const { length } = this.stderr;
    this.write(settings);
    this.child.kill('SIGHUP');
    await until('word of the file', () => / holds: | holds on\n/.test(this.stderr.slice(length)), 30_000);
  }

  async stop(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
