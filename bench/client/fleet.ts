import { Backend, type Exit } from './backend.js';
import { Caller } from './caller.js';
import type { LoadFound } from './callers/main.js';

const BACKENDS = 6;
const CALLERS = 3;
/** Of one client at once: 333 a second at 6 ms are 2 on average; the rest is for when a machine pauses. */
const AT_ONCE = 24;

export interface Replaced extends Exit {
  readonly url: string;
  /** From the signal until its successor listens. */
  readonly tookMs: number;
}

export interface FleetOptions {
  /** Of each request; without it they have no deadline. */
  readonly timeoutMs?: number;
  /** `dry-run`: backends refuse nothing because the machine is busy. */
  readonly mode?: 'enforce' | 'dry-run';
}

/** Backends that come and go, under clients that do not stop asking. */
export class Fleet {
  readonly callers: readonly Caller[] = Array.from({ length: CALLERS }, () => new Caller());
  readonly #backends: Backend[] = [];
  readonly #options: FleetOptions;

  private constructor(options: FleetOptions) {
    this.#options = options;
  }

  /** Stops everything also when it fails. */
  static async during<T>(
    rate: number,
    use: (fleet: Fleet) => Promise<T>,
    options: FleetOptions = {},
  ): Promise<T> {
    const fleet = new Fleet(options);
    try {
      await fleet.#start(rate);
      return await use(fleet);
    } finally {
      await fleet.#stop();
    }
  }

  get size(): number {
    return this.#backends.length;
  }

  urlOf(index: number): string {
    return this.#backends[index]!.url;
  }

  pause(index: number): void {
    this.#backends[index]!.pause();
  }

  resume(index: number): void {
    this.#backends[index]!.resume();
  }

  async #start(rate: number): Promise<void> {
    const { timeoutMs } = this.#options;
    for (let i = 0; i < BACKENDS; i++) this.#backends.push(await this.#startBackend(0));
    const urls = this.#backends.map(({ url }) => url);
    const load = { urls, rate: rate / CALLERS, callers: AT_ONCE };
    const options = timeoutMs === undefined ? load : { ...load, timeoutMs };
    await Promise.all(this.callers.map((caller) => caller.begin(options)));
    await this.reach(rate);
  }

  /** Resolves when so many requests have been made. */
  async reach(requests: number): Promise<void> {
    while ((await this.requests()) < requests) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  async requests(): Promise<number> {
    const counts = await Promise.all(this.callers.map((caller) => caller.counts()));
    return counts.reduce((sum, { requests }) => sum + requests, 0);
  }

  /** Ends one, and starts another in its place. */
  async replace(
    index: number,
    signal: 'SIGTERM' | 'SIGKILL',
    onExit: () => void = () => {},
  ): Promise<Replaced> {
    const { port, url } = this.#backends[index]!;
    const startedMs = performance.now();
    const exit = await this.#backends[index]!.end(signal);
    onExit();
    this.#backends[index] = await this.#startBackend(port);
    return { ...exit, url, tookMs: performance.now() - startedMs };
  }

  #startBackend(port: number): Promise<Backend> {
    return Backend.start({ kind: 'echo', port, mode: this.#options.mode ?? 'enforce' });
  }

  finish(): Promise<LoadFound[]> {
    return Promise.all(this.callers.map((caller) => caller.finish()));
  }

  async #stop(): Promise<void> {
    await Promise.all([...this.callers, ...this.#backends].map((each) => each.stop()));
  }
}

/** A row for each client. */
export function rowsOf(found: readonly LoadFound[]): object[] {
  return found.map(({ requests, failed, snapshot: { counts } }, index) => ({
    client: index + 1,
    requests,
    'failed GET': failed.GET,
    'failed POST': failed.POST,
    answered: counts.outcomes.answered,
    'connect failed': counts.outcomes['connect-failed'],
    broken: counts.outcomes.broken,
    overloaded: counts.outcomes['task-overloaded'] + counts.outcomes['overloaded-no-retry'],
    'second attempts': counts.attempts[1] ?? 0,
    'third attempts': counts.attempts[2] ?? 0,
    rejected: Object.values(counts.rejected).reduce((sum, count) => sum + count, 0),
  }));
}

/** Why requests failed, on standard error: a count alone helps nobody. */
export function tellFailures(section: string, found: readonly LoadFound[]): void {
  for (const { failures, endings } of found)
    for (const text of [...failures, ...endings]) console.error(`client: ${section}: ${text}`);
}
