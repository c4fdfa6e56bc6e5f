import type { ServeOptions } from 'plimsoll/server';
import { forkOn } from '../../../bench/overload/cores.js';
import { Asked } from '../../../bench/overload/questions.js';
import { Program } from '../../integration/gateway/stress/program.js';
import type { Round, Stream, Streamed } from '../../integration/gateway/stress/stress-bed.js';
import type { Usage } from '../processes/server.js';
import { until } from '../stage.js';

const SCRIPT = new URL('../processes/server.js', import.meta.url);

export type AttackedOptions = Omit<ServeOptions, 'signals' | 'onError'>;

/** A guarded server, and a client that behaves: a process each. */
export class AttackedServer {
  readonly port: number;
  readonly #asked: Asked;
  readonly #load: Program;
  mostRssBytes = 0;

  private constructor(port: number, asked: Asked, load: Program) {
    this.port = port;
    this.#asked = asked;
    this.#load = load;
  }

  static async start(
    options: AttackedOptions = {},
    nodeArgs: readonly string[] = [],
  ): Promise<AttackedServer> {
    const asked = new Asked(forkOn(undefined, SCRIPT, nodeArgs), 'the server');
    const port = await asked.ask<number>('listen', options);
    const [load] = await Program.start('load');
    return new AttackedServer(port, asked, load);
  }

  /** Requests that come at their rate, whatever becomes of those before. */
  async streams(streams: readonly Stream[], seconds: number): Promise<Round> {
    return this.#load.ask<Round>({ port: this.port, streams, seconds });
  }

  async stream(stream: Omit<Stream, 'name'>, seconds: number): Promise<Streamed> {
    return (await this.streams([{ name: 'good', ...stream }], seconds)).streams['good']!;
  }

  async usage(): Promise<Usage> {
    const usage = await this.#asked.ask<Usage>('usage');
    this.mostRssBytes = Math.max(this.mostRssBytes, usage.rssBytes);
    return usage;
  }

  /** What it is told that its utilization is: 1.1 refuses all that is sheddable. */
  level(told: number): Promise<void> {
    return this.#asked.ask('level', told);
  }

  /** Uses so much of its heap. */
  fill(share: number): Promise<void> {
    return this.#asked.ask('fill', share);
  }

  release(): Promise<void> {
    return this.#asked.ask('release');
  }

  /** Until nothing runs or waits; how long that took. */
  async untilIdle(withinMs: number): Promise<number> {
    const isIdle = async () => (await this.usage()).snapshot.inFlight === 0;
    return until('in flight 0', isIdle, withinMs).catch(() => Number.POSITIVE_INFINITY);
  }

  async stop(): Promise<void> {
    await this.#load.kill();
    await this.#asked.stop();
  }
}
