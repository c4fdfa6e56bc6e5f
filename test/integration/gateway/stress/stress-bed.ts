import { readFileSync } from 'node:fs';
import { GatewayProcess } from '../gateway-process.js';
import { cpuMsOf } from './process-cpu.js';
import { Program } from './program.js';

export interface BackendOptions {
  /** How many it serves at once; the others stand in line. */
  readonly places?: number;
  readonly workMs?: number;
}

/** Requests of one kind. */
export interface Stream {
  readonly name: string;
  readonly path: string;
  readonly perSecond: number;
  readonly criticality?: string;
  readonly method?: string;
  readonly body?: string;
}

/** What became of them. */
export interface Streamed {
  readonly sent: number;
  readonly over: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** What answers with other statuses than 200 called themselves. */
  readonly titles: Readonly<Record<string, number>>;
  readonly errors: Readonly<Record<string, number>>;
  /** Of those that were answered with 200, from the instant at which they were due. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface Round {
  /** How late the generator itself was, at the worst. */
  readonly lagMs: number;
  readonly streams: Readonly<Record<string, Streamed>>;
}

/** A backend that can be restarted at the same place. */
export class StressBackend {
  readonly #options: BackendOptions;
  #program: Program;
  readonly port: number;

  private constructor(program: Program, port: number, options: BackendOptions) {
    this.#program = program;
    this.port = port;
    this.#options = options;
  }

  static async start(options: BackendOptions = {}): Promise<StressBackend> {
    const [program, { port }] = await Program.start<{ port: number }>('backend', options);
    return new StressBackend(program, port, options);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async restart(): Promise<void> {
    await this.#program.end();
    [this.#program] = await Program.start('backend', { ...this.#options, port: this.port });
  }

  stop(): Promise<void> {
    return this.#program.kill();
  }
}

/** A gateway, backends behind it and clients before it, each in a process of its own. */
export class StressBed {
  readonly gateway: GatewayProcess;
  readonly backends: readonly StressBackend[];
  readonly #load: Program;

  private constructor(gateway: GatewayProcess, backends: readonly StressBackend[], load: Program) {
    this.gateway = gateway;
    this.backends = backends;
    this.#load = load;
  }

  static async start(
    backends: readonly BackendOptions[],
    settings: (urls: readonly string[]) => string,
  ): Promise<StressBed> {
    const started = await Promise.all(backends.map((options) => StressBackend.start(options)));
    const [load] = await Program.start('load');
    const gateway = await GatewayProcess.start(settings(started.map(({ url }) => url)));
    if (Number.isNaN(gateway.port)) throw new Error(`the gateway does not run: ${gateway.stderr}`);
    return new StressBed(gateway, started, load);
  }

  round(streams: readonly Stream[], seconds: number): Promise<Round> {
    return this.#load.ask({ port: this.gateway.port, streams, seconds });
  }

  /** What the gateway holds of memory. */
  get rssBytes(): number {
    const status = readFileSync(`/proc/${this.gateway.child.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s*(\d+) kB/m.exec(status)![1]) * 1_024;
  }

  /** What the gateway has used of processors by now. */
  get cpuMs(): number {
    return cpuMsOf(this.gateway.child.pid!);
  }

  async stop(): Promise<void> {
    await Promise.all([this.gateway.stop(), this.#load.kill(), ...this.backends.map((each) => each.stop())]);
  }
}
