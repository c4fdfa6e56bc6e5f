import { setTimeout as wait } from 'node:timers/promises';
import { type Cores, chooseCores } from './cores.js';
import type { FloodOptions } from './load/open-loop.js';
import type { FloodResult } from './load/summary.js';
import { LoadGenerator } from './load-generator.js';
import type { OverloadOptions } from './options.js';
import { ServerProcess } from './server-process.js';
import type { HandlerName } from './servers/handlers.js';
import type { ServerName, Usage } from './servers/main.js';

export const CLIENT_TIMEOUT_MS = 1_000;

const FLOOD_DEFAULTS = {
  seed: 1,
  timeoutMs: CLIENT_TIMEOUT_MS,
  // Cold code runs at a third of its speed for most of the first second.
  warmUpMs: 1_000,
  tailMs: 250,
  // A good answer may take 60 ms.
  maxLagMs: 5,
};

/** As many as ten clients of a hundred connections each have. */
const LEAST_CONNECTIONS = 1_000;

/** A tenth more than can be under way when every request times out. */
const CONNECTIONS_TO_SPARE = 1.1;

/**
 * How many clients at once bring a handler to its peak: enough that it never waits. The more of them, the more answers
 * share one turn of the loop, until a guard refuses some; which is best differs from server to server.
 */
const PEAK_CONCURRENCY: Record<HandlerName, readonly number[]> = {
  hello: [50],
  sync: [4, 8, 16, 32],
  // 1 ms of CPU in 16 ms: 16 at least, some more as they come unevenly.
  async: [24, 48, 72, 96],
  dependency: [50],
};
const PEAK_SECONDS = 1.2;

/** A neighbour on the machine spoils a run: it is made again, but not for ever. */
const TRIES = 3;

export interface Flooded extends FloodResult {
  /** With all connections open, and … */
  readonly before: Usage;
  /** … when the last answer is there, or no longer waited for. */
  readonly after: Usage;
}

/** What measurements have in common: the generator, the cores, and the servers that come and go. */
export class Lab {
  readonly cores: Cores = chooseCores();
  readonly generator = new LoadGenerator(this.cores);
  floods = 0;
  /** Floods in which the generator could not keep its schedule, even when tried again. */
  disturbed = 0;

  constructor(readonly options: OverloadOptions) {}

  say(text: string): void {
    console.error(`overload: ${text}`);
  }

  /** A new process each time: what one measurement leaves behind must not reach the next. */
  async withServer<T>(
    server: ServerName,
    handler: HandlerName,
    connections: number,
    use: (started: ServerProcess) => Promise<T>,
  ): Promise<T> {
    const started = await ServerProcess.start(this.cores, server, handler);
    try {
      await this.generator.open(started.port, connections);
      return await use(started);
    } finally {
      await this.generator.close();
      await started.stop();
    }
  }

  /** The most that a server gets done when clients wait for their answers: the best of some concurrencies. */
  async peak(server: ServerName, handler: HandlerName): Promise<number> {
    const steps = PEAK_CONCURRENCY[handler];
    return this.withServer(server, handler, steps.at(-1)!, async () => {
      await this.generator.saturate({ concurrency: steps[0]!, seconds: 1 });
      const goodputs: number[] = [];
      for (const concurrency of steps) {
        goodputs.push((await this.generator.saturate({ concurrency, seconds: PEAK_SECONDS })).goodput);
      }
      return Math.max(...goodputs);
    });
  }

  /** A flood on a server that has just been started, so that its first second is that of cold code. */
  async flood(
    server: ServerName,
    handler: HandlerName,
    perSecond: number,
    given: Partial<FloodOptions> = {},
  ): Promise<Flooded> {
    return this.onSchedule(() =>
      this.withServer(server, handler, connectionsFor(perSecond), async (started) => {
        const before = await started.usage();
        const result = await this.floodOpened(perSecond, given);
        return { ...result, before, after: await started.usage() };
      }),
    );
  }

  /** Measures again while the generator was late. */
  async onSchedule<T extends FloodResult>(measure: () => Promise<T>): Promise<T> {
    for (let left = TRIES; ; ) {
      const measured = await measure();
      if (measured.isOnSchedule) return measured;
      this.say(`  the generator was late (p99 ${measured.lagP99Ms.toFixed(1)} ms)`);
      if (--left === 0) {
        this.disturbed++;
        return measured;
      }
      await wait(1_000);
    }
  }

  /** A flood over the connections that are open. */
  floodOpened(perSecond: number, given: Partial<FloodOptions> = {}): Promise<FloodResult> {
    this.floods++;
    const { seconds, spacing, mix } = this.options;
    return this.generator.flood({ perSecond, seconds, spacing, mix, ...FLOOD_DEFAULTS, ...given });
  }

  stop(): Promise<void> {
    return this.generator.stop();
  }
}

/** Enough that a server which is merely slow is sent everything. */
export function connectionsFor(perSecond: number): number {
  const underWay = (perSecond * CLIENT_TIMEOUT_MS) / 1_000;
  return Math.max(LEAST_CONNECTIONS, Math.ceil(underWay * CONNECTIONS_TO_SPARE));
}
