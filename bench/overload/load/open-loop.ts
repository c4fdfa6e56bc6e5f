import { monotonicMs } from '../watch/monotonic.js';
import type { Stall } from '../watch/stall.js';
import { type ArrivalOptions, type Arrivals, scheduleArrivals } from './arrivals.js';
import { Calm } from './calm.js';
import type { Line, Lines } from './lines.js';
import { OUTCOME, outcomeOfStatus } from './outcomes.js';
import { type FloodResult, summarizeFlood } from './summary.js';

export interface FloodOptions extends ArrivalOptions {
  readonly timeoutMs: number;
  /** What arrives before is told apart: code that is not yet compiled runs at a third of its speed. */
  readonly warmUpMs: number;
  /** What arrives last is not counted: it finds a server that nobody else asks any more. */
  readonly tailMs: number;
  /** A generator that is later than this measures itself. */
  readonly maxLagMs: number;
}

/** What is known of each request of a flood, by its number. */
export interface FloodRecord extends Arrivals {
  readonly outcomes: Uint8Array;
  /** From the instant at which it was due, not from that of sending: waiting to be sent is waiting. */
  readonly latencyMs: Float64Array;
  /** How long after it was due it was sent. */
  readonly lagMs: Float64Array;
}

/**
 * Sends every request when it is due, whatever became of those before it: clients do not wait for each other.
 *
 * A request goes to a connection that has nothing under way, never behind another. One that timed out keeps its
 * connection until its answer is there, so a server that has fallen far behind leaves none free; what could then not be
 * sent counts against it as `unsent`, and spares it the work. Closing and opening anew instead would spare it more:
 * Node accepts new connections one by one.
 */
export class Flood<R> {
  readonly #pool: Lines<R>;
  readonly #options: FloodOptions;
  readonly #requests: R[];
  readonly #record: FloodRecord;
  readonly #calm = new Calm();
  #startMs = 0;
  #next = 0;
  #oldest = 0;

  constructor(
    pool: Lines<R>,
    options: FloodOptions,
    requestOf: (criticality?: string) => R,
    arrivals: Arrivals = scheduleArrivals(options),
  ) {
    if (options.seconds * 1_000 - options.tailMs < options.warmUpMs) {
      throw new Error('the flood would be over before its warm-up');
    }
    this.#pool = pool;
    this.#options = options;
    this.#requests = options.mix.map(({ criticality }) => requestOf(criticality));
    this.#requests.push(requestOf());
    const count = arrivals.atMs.length;
    this.#record = {
      ...arrivals,
      outcomes: new Uint8Array(count),
      latencyMs: new Float64Array(count),
      lagMs: new Float64Array(count),
    };
  }

  /** `watch`: whoever knows when cores stood still. */
  async run(watch?: { stallsSince(ms: number): Promise<Stall[]> }): Promise<FloodResult> {
    await this.#go();
    if (watch !== undefined) {
      const startMs = monotonicMs(this.#startMs);
      const stalls = await watch.stallsSince(startMs);
      const fromStart = ({ untilMs, lostMs }: Stall) => ({ untilMs: untilMs - startMs, lostMs });
      this.#calm.spoil(stalls.map(fromStart));
    }
    return summarizeFlood(this.#record, this.#calm, this.#options);
  }

  #go(): Promise<void> {
    this.#pool.serve({
      onAnswer: (connection, status) => this.#settle(connection, outcomeOfStatus(status)),
      onLost: (arrival) => this.#settleLost(arrival),
    });
    return new Promise((resolve) => {
      // Goes round without waiting: a timer would be late by up to a millisecond, and the core is ours alone.
      const turn = () => {
        const now = performance.now() - this.#startMs;
        this.#sendWhatIsDue(now);
        this.#expire(now);
        this.#calm.poll(now);
        if (this.#oldest < this.#record.atMs.length) setImmediate(turn);
        else resolve();
      };
      this.#startMs = performance.now();
      turn();
    });
  }

  #sendWhatIsDue(now: number): void {
    const { atMs } = this.#record;
    while (this.#next < atMs.length && atMs[this.#next]! <= now) this.#send(this.#next++, now);
  }

  #send(arrival: number, now: number): void {
    const { atMs, kinds, lagMs, outcomes } = this.#record;
    lagMs[arrival] = now - atMs[arrival]!;
    if (lagMs[arrival]! > this.#options.maxLagMs) this.#calm.disturb(atMs[arrival]!);
    const connection = this.#pool.take();
    if (connection === undefined) {
      outcomes[arrival] = OUTCOME.unsent;
      return;
    }
    connection.send(this.#requests[kinds[arrival]!]!, arrival);
  }

  /** The timeout is the same for all, so they expire in the order in which they were due. */
  #expire(now: number): void {
    const { atMs, outcomes } = this.#record;
    while (this.#oldest < this.#next) {
      const isPending = outcomes[this.#oldest] === OUTCOME.pending;
      if (isPending && atMs[this.#oldest]! + this.#options.timeoutMs > now) return;
      if (isPending) outcomes[this.#oldest] = OUTCOME.timedOut;
      this.#oldest++;
    }
  }

  #settle(connection: Line<R>, outcome: number): void {
    const { arrival } = connection;
    const { atMs, latencyMs, outcomes } = this.#record;
    this.#pool.release(connection);
    const latency = performance.now() - this.#startMs - atMs[arrival]!;
    latencyMs[arrival] = latency;
    outcomes[arrival] = latency <= this.#options.timeoutMs ? outcome : OUTCOME.late;
  }

  #settleLost(arrival: number): void {
    const { outcomes } = this.#record;
    if (arrival >= 0 && outcomes[arrival] === OUTCOME.pending) outcomes[arrival] = OUTCOME.lost;
  }
}
