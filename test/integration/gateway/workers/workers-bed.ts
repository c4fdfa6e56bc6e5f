import { setTimeout as sleep } from 'node:timers/promises';
import { EchoBackend } from '../echo-backend.js';
import { GatewayProcess } from '../gateway-process.js';

interface Snapshot {
  readonly workers: Readonly<Record<string, { readonly process: { readonly pid: number } }>>;
  readonly missing: readonly string[];
  readonly total: { readonly routes: Readonly<Record<string, Record<string, unknown>>> };
  readonly primary: { readonly reloads: number };
}

/** A gateway of two workers in front of one backend. */
export class WorkersBed {
  readonly backend: EchoBackend;
  readonly gateway: GatewayProcess;

  private constructor(backend: EchoBackend, gateway: GatewayProcess) {
    this.backend = backend;
    this.gateway = gateway;
  }

  /** `settings` may name the backend as BACKEND. */
  static async start(settings: string): Promise<WorkersBed> {
    const backend = await EchoBackend.start();
    return new WorkersBed(backend, await GatewayProcess.start(WorkersBed.#whole(settings, backend)));
  }

  static #whole(settings: string, backend: EchoBackend): string {
    // The machine may be busy, and this is not about that.
    const rest = 'overload: { mode: dry-run }\nadmin: { address: "127.0.0.1:0" }\nlog: { level: "off" }\n';
    return `listen: 127.0.0.1:0\nworkers: 2\n${rest}${settings.replaceAll('BACKEND', backend.url)}`;
  }

  reload(settings: string): Promise<void> {
    return this.gateway.reload(WorkersBed.#whole(settings, this.backend));
  }

  admin(path: string, method = 'GET'): Promise<Response> {
    const at = /admin listens on (http:\S+)/.exec(this.gateway.stderr)?.[1];
    return fetch(`${at}${path}`, { method, headers: { 'x-plimsoll-admin': '1', connection: 'close' } });
  }

  async snapshot(): Promise<Snapshot> {
    return (await (await this.admin('/snapshot')).json()) as Snapshot;
  }

  /** Of the workers that serve. */
  async pids(): Promise<number[]> {
    const { workers } = await this.snapshot();
    return Object.values(workers).map(({ process: { pid } }) => pid);
  }

  /** One request on a connection of its own: it goes to the next worker. */
  async ask(path = '/'): Promise<number | string> {
    try {
      const answer = await fetch(this.gateway.url(path), { headers: { connection: 'close' } });
      await answer.text();
      return answer.status;
    } catch (error) {
      return String((error as Error).cause ?? error);
    }
  }

  /** How often each status came. */
  async askOften(times: number, path = '/'): Promise<Record<string, number>> {
    return tally(await Promise.all(Array.from({ length: times }, () => this.ask(path))));
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.backend.stop();
  }
}

/** As `until`, of something that has to be asked for. */
export async function eventually(
  what: string,
  isSo: () => Promise<boolean>,
  withinMs = 60_000,
): Promise<void> {
  const beganMs = performance.now();
  while (!(await isSo())) {
    if (performance.now() > beganMs + withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(50);
  }
}

export function tally(all: readonly (number | string)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const each of all) counts[each] = (counts[each] ?? 0) + 1;
  return counts;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
