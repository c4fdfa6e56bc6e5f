import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Control } from '../../../src/cli/demo/control/control.js';
import type { DemoPart } from '../../../src/cli/demo/demo-part.js';
import type { GatewaySnapshot } from '../../../src/gateway/index.js';
import { root } from '../../tidy/sources.js';
import { until } from '../client/until.js';

const PROGRAM = join(root, 'dist/cli/main.js');

type Environment = Readonly<Record<string, string>>;

/** The program in a process of its own, with all that it has printed. */
export class RunningProgram {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  stdout = '';
  stderr = '';

  constructor(args: readonly string[], environment: Environment = {}) {
    this.child = spawn(process.execPath, [PROGRAM, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    });
    this.child.stdout!.on('data', (chunk) => {
      this.stdout += chunk;
    });
    this.child.stderr!.on('data', (chunk) => {
      this.stderr += chunk;
    });
    // With its streams: what it has printed is there.
    this.exited = once(this.child, 'close').then(([code]) => code as number | null);
  }
}

/** A demo that runs until it is stopped, asked by HTTP as the page does. */
export class RunningDemo extends RunningProgram {
  /** Resolves when there is a page, seconds before there is load. */
  static async startPage(args: readonly string[] = [], environment: Environment = {}): Promise<RunningDemo> {
    const demo = new RunningDemo(['demo', '--port', '0', ...args], environment);
    await until('a page', () => demo.stdout.includes('#token=') || demo.child.exitCode !== null, 60_000);
    return demo;
  }

  /** Resolves when it knows what its fleet can do. */
  static async start(args: readonly string[] = [], environment: Environment = {}): Promise<RunningDemo> {
    const demo = await RunningDemo.startPage(args, environment);
    await until(
      'load',
      () => demo.stderr.includes('the fleet can serve') || demo.child.exitCode !== null,
      60_000,
    );
    return demo;
  }

  get page(): string {
    return /http:\/\/\S+/.exec(this.stdout)![0];
  }

  get token(): string {
    return this.page.split('#token=')[1]!;
  }

  url(path: string): string {
    return new URL(path, this.page).href;
  }

  async part(): Promise<DemoPart> {
    return (await this.#get('/demo')) as DemoPart;
  }

  async snapshot(): Promise<GatewaySnapshot & { demo: DemoPart }> {
    return (await this.#get('/snapshot')) as GatewaySnapshot & { demo: DemoPart };
  }

  /** The state of a backend as the gateway sees it. */
  async stateOf(name: string): Promise<string | undefined> {
    const { services, demo } = await this.snapshot();
    const { url } = demo.backends.find((backend) => backend.name === name)!;
    return services['fleet']!.backends.find((backend) => backend.url === url)?.state;
  }

  post(control: string, value?: string): Promise<Response> {
    const query = value === undefined ? '' : `?value=${value}`;
    return fetch(this.url(`/demo/${control}${query}`), { method: 'POST', headers: this.#headers });
  }

  async set(control: string, value?: string): Promise<Control> {
    const answer = await this.post(control, value);
    if (answer.status !== 200) throw new Error(`${control}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Control;
  }

  async eventually(what: string, isSo: (part: DemoPart) => boolean, withinMs: number): Promise<void> {
    await this.#until(what, async () => isSo(await this.part()), withinMs);
  }

  async eventuallyState(name: string, states: readonly string[], withinMs: number): Promise<void> {
    const isSo = async () => states.includes((await this.stateOf(name)) ?? 'gone');
    await this.#until(`${name} is ${states.join(' or ')}`, isSo, withinMs);
  }

  async stop(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  async #until(what: string, isSo: () => Promise<boolean>, withinMs: number): Promise<void> {
    const beganMs = performance.now();
    while (!(await isSo())) {
      if (performance.now() > beganMs + withinMs)
        throw new Error(`not within ${withinMs} ms: ${what}; ${JSON.stringify((await this.part()).load)}`);
      await sleep(100);
    }
  }

  get #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}`, 'x-plimsoll-admin': '1' };
  }

  async #get(path: string): Promise<unknown> {
    const answer = await fetch(this.url(path), { headers: this.#headers });
    return await answer.json();
  }
}
