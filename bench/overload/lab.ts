import { setTimeout as wait } from 'node:timers/promises';
import { type Cores, chooseCores } from './cores.js';
import type { SaturateOptions, SaturateResult } from './load/closed-loop.js';
import type { FloodOptions } from './load/open-loop.js';
import type { FloodResult } from './load/summary.js';
import { LoadGenerator } from './load-generator.js';
import { type OverloadOptions, WARM_UP_SECONDS } from './options.js';
import { ServerProcess } from './server-process.js';
import type { HandlerName } from './servers/handlers.js';
import type { Usage } from './servers/main.js';

export const CLIENT_TIMEOUT_MS = 1_000;

/** What it says of the figures when floods were disturbed. */
export const DISTURBED =
  'Something else ran on these cores, even when the floods were made again: the figures say less of the server than of the machine.';

const FLOOD_DEFAULTS = {
  seed: 1,
  timeoutMs: CLIENT_TIMEOUT_MS,
  warmUpMs: WARM_UP_SECONDS * 1_000,
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
const STEP_SECONDS = 1.2;
/** As much as is counted of a flood. */
const PEAK_SECONDS = 6;
/** As warm as it is in a flood when that is measured. */
const PEAK_WARM_UP_SECONDS = 5;

/** A neighbour on the machine spoils a run: it is made again, but not for ever. */
const TRIES = 3;

export interface Flooded extends FloodResult {
  /** With all connections open, and … */
  readonly before: Usage;
  /** … when the last answer is there, or no longer waited for. */
  readonly after: Usage;
  /** Part of the time in which the server could have run, but somebody else did on its core. */
  readonly stolenShare: number;
}

export interface Saturated extends SaturateResult {
  /** Of the server, for one answer. */
  readonly cpuMicroseconds: number;
}

/** What is not calm is left out of the figures; of what is left there has to be enough. */
const LEAST_CALM_SHARE = 0.3;

/**
 * Of time in which a server could run and something else does on its core. Up to 11 % are its own: the threads that
 * compile and collect for it are pinned to the same core.
 */
const MAX_STOLEN_SHARE = 0.15;

/** Other processes than those for HTTP/1.1. */
export interface LabScripts {
  readonly server?: URL;
  readonly load?: URL;
}

/** What measurements have in common: the generator, the cores, and the servers that come and go. */
export class Lab {
  readonly cores: Cores = chooseCores();
  readonly generator: LoadGenerator;
  readonly #scripts: LabScripts;
  floods = 0;
  /** Connections that were closed under clients that wait for their answers. */
  lost = 0;
  /** Floods in which neighbours on the machine took part, even when tried again. */
  disturbed = 0;

  constructor(
    readonly options: OverloadOptions,
    scripts: LabScripts = {},
  ) {
    this.#scripts = scripts;
    this.generator = new LoadGenerator(this.cores, scripts.load);
  }

  say(text: string): void {
    console.error(`overload: ${text}`);
  }

  /** A new process each time: what one measurement leaves behind must not reach the next. */
  async withServer<T>(
    server: string,
    handler: HandlerName,
    connections: number,
    use: (started: ServerProcess) => Promise<T>,
  ): Promise<T> {
    const started = await ServerProcess.start(this.cores, server, handler, this.#scripts.server);
    try {
      await this.generator.open(started.port, connections);
      return await use(started);
    } finally {
      await this.generator.close();
      await started.stop();
    }
  }

  /**
   * The most that a server gets done when clients wait for their answers: with the best of some concurrencies, measured once
   * more for longer. The highest of several short readings would be the luckiest one, and goodput is a mean over seconds. They
   * use as many connections in turn as a flood does: eight that are always the same stay in the processor's caches, and
   * make each request a tenth cheaper than it is for clients in earnest.
   */
  async peak(server: string, handler: HandlerName): Promise<number> {
    const steps = PEAK_CONCURRENCY[handler];
    return this.withServer(server, handler, LEAST_CONNECTIONS, async (started) => {
      await this.generator.saturate({ concurrency: steps[0]!, seconds: PEAK_WARM_UP_SECONDS });
      let best = { concurrency: 0, goodput: 0 };
      for (const concurrency of steps) {
        const { goodput } = await this.saturate(started, { concurrency, seconds: STEP_SECONDS });
        if (goodput > best.goodput) best = { concurrency, goodput };
      }
      const { goodput } = await this.saturate(started, { ...best, seconds: PEAK_SECONDS });
      return goodput;
    });
  }

  /** Clients that wait for their answers, and what each answer costs the server; again while others take part. */
  async saturate(started: ServerProcess, options: SaturateOptions): Promise<Saturated> {
    for (let left = TRIES; ; left--) {
      const before = await started.usage();
      const result = await this.generator.saturate(options);
      const after = await started.usage();
      this.lost += result.lost;
      const cpuMicroseconds = ((after.cpuMs - before.cpuMs) / result.answered) * 1_000;
      const isCalm = result.calmShare >= LEAST_CALM_SHARE && stolenBetween(before, after) <= MAX_STOLEN_SHARE;
      if (isCalm || left === 1) return { ...result, cpuMicroseconds };
    }
  }

  /** A flood on a server that has just been started, so that its first second is that of cold code. */
  async flood(
    server: string,
    handler: HandlerName,
    perSecond: number,
    given: Partial<FloodOptions> = {},
  ): Promise<Flooded> {
    return this.undisturbed(() =>
      this.withServer(server, handler, connectionsFor(perSecond), async (started) => {
        return this.floodOpened(started, perSecond, given);
      }),
    );
  }

  /** Measures again while something else on the machine took part in it. */
  async undisturbed(measure: () => Promise<Flooded>): Promise<Flooded> {
    for (let left = TRIES; ; ) {
      const measured = await measure();
      const { calmSeconds, lagP99Ms, stolenShare, whole } = measured;
      if (calmSeconds >= LEAST_CALM_SHARE * whole.seconds && stolenShare <= MAX_STOLEN_SHARE) return measured;
      this.say(
        `  disturbed: ${calmSeconds.toFixed(1)} of ${whole.seconds.toFixed(1)} s were calm, the generator was late ` +
          `by ${lagP99Ms.toFixed(1)} ms (p99), the server waited for its core ${(stolenShare * 100).toFixed(1)} %`,
      );
      if (--left === 0) {
        this.disturbed++;
        return measured;
      }
      await wait(1_000);
    }
  }

  /** A flood over the connections that are open. */
  async floodOpened(
    started: ServerProcess,
    perSecond: number,
    given: Partial<FloodOptions> = {},
  ): Promise<Flooded> {
    this.floods++;
    const { seconds, spacing, mix } = this.options;
    const options = { perSecond, seconds, spacing, mix, ...FLOOD_DEFAULTS, ...given };
    const before = await started.usage();
    const result = await this.generator.flood(options);
    const after = await started.usage();
    return { ...result, before, after, stolenShare: stolenBetween(before, after) };
  }

  stop(): Promise<void> {
    return this.generator.stop();
  }
}

function stolenBetween(before: Usage, after: Usage): number {
  return (after.stolenMs - before.stolenMs) / (after.atMs - before.atMs);
}

/** Enough that a server which is merely slow is sent everything. */
export function connectionsFor(perSecond: number): number {
  const underWay = (perSecond * CLIENT_TIMEOUT_MS) / 1_000;
  return Math.max(LEAST_CONNECTIONS, Math.ceil(underWay * CONNECTIONS_TO_SPARE));
}
