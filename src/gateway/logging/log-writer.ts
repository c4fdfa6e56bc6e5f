import { LineQueue } from './line-queue.js';
import type { Sink } from './sink.js';

export interface LogWriterOptions {
  /** Lines are collected for so long, or until there is a piece of them. */
  readonly gatherMs: number;
  /** What could not be written is tried again after this. */
  readonly retryMs: number;
  readonly mostBytes: number;
}

export const LOG_WRITER_DEFAULTS: LogWriterOptions = Object.freeze({
  // One write for all of them: at 10,000 lines a second it would else be that many. Nobody reads faster.
  gatherMs: 50,
  // A disk that was full, or a reader that stood still, is not better before.
  retryMs: 250,
  // Half a second of a busy gateway: 4,000 lines of 250 bytes.
  mostBytes: 1_048_576,
});

/**
 * Writes lines to where they go, one piece after the other, without ever waiting: what there is no room for is dropped and
 * counted. No error of writing gets out of here.
 */
export class LogWriter {
  readonly #sink: Sink;
  readonly #options: LogWriterOptions;
  readonly #queue: LineQueue;
  /** What is being written, or is to be written again. */
  #piece: Buffer | undefined = undefined;
  #isWriting = false;
  #timer: NodeJS.Timeout | undefined = undefined;
  #errors = 0;
  #onIdle: (() => void) | undefined = undefined;

  constructor(sink: Sink, options: LogWriterOptions = LOG_WRITER_DEFAULTS) {
    this.#sink = sink;
    this.#options = options;
    this.#queue = new LineQueue(options.mostBytes);
  }

  /** Lines, since the start, that there was no room for. */
  get dropped(): number {
    return this.#queue.dropped;
  }

  /** Attempts to write that have failed. */
  get errors(): number {
    return this.#errors;
  }

  readonly write = (line: string): void => {
    if (!this.#queue.push(line) || this.#isWriting || this.#piece !== undefined) return;
    if (this.#queue.bytes >= this.#sink.mostBytes) this.#pump();
    else this.#wakeIn(this.#options.gatherMs);
  };

  reopen(): void {
    this.#sink.reopen();
  }

  #wakeIn(ms: number): void {
    this.#timer ??= setTimeout(this.#pump, ms).unref();
  }

  readonly #pump = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isWriting) return;
    if (this.#sink.isGone) this.#giveUp();
    this.#piece ??= this.#queue.take(this.#sink.mostBytes);
    if (this.#piece === undefined) {
      this.#onIdle?.();
      return;
    }
    this.#isWriting = true;
    this.#sink.write(this.#piece, this.#onWritten);
  };

  readonly #onWritten = (error: Error | undefined, bytes: number): void => {
    this.#isWriting = false;
    const { length } = this.#piece!;
    this.#piece = bytes < length ? this.#piece!.subarray(bytes) : undefined;
    if (error === undefined) this.#pump();
    else {
      this.#errors++;
      this.#wakeIn(this.#options.retryMs);
    }
  };

  #giveUp(): void {
    this.#piece = undefined;
    this.#queue.dropAll();
  }

  /** Resolves when all has been written, or the time is over. */
  async close(timeoutMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#pump();
    });
    this.#onIdle = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sink.close();
  }

  /** The process ends: as much as goes without waiting. */
  flushNow(): void {
    try {
      for (let piece = this.#next(); piece !== undefined; piece = this.#next()) this.#sink.writeNow(piece);
    } catch {
      // Nobody is left to be told.
    }
  }

  #next(): Buffer | undefined {
    // Half of it may be on its way: what follows would get into the middle.
    if (this.#isWriting || this.#sink.isGone) return undefined;
    const piece = this.#piece ?? this.#queue.take(this.#sink.mostBytes);
    this.#piece = undefined;
    return piece;
  }
}
