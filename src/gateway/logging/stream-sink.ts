import { writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Sink } from './sink.js';

/** POSIX: what several processes write to one pipe does not get mixed up to this size (PIPE_BUF of Linux). */
const MOST_BYTES = 4_096;

/**
 * The standard output or error as a pipe or socket. By Node's own stream, which does not wait for a reader: a write by
 * `fs` would hold a thread for as long as nobody reads, and with it the end of the process.
 */
export class StreamSink implements Sink {
  readonly mostBytes = MOST_BYTES;
  readonly #stream: Socket;
  readonly #fd: number;
  #isWriting = false;
  #isGone = false;

  constructor(stream: Socket, fd: number) {
    this.#stream = stream;
    this.#fd = fd;
    // The reader is gone; the gateway is not.
    stream.on('error', this.#onEnd);
    stream.on('close', this.#onEnd);
  }

  readonly #onEnd = (): void => {
    this.#isGone = true;
  };

  get isGone(): boolean {
    return this.#isGone || this.#stream.destroyed || !this.#stream.writable;
  }

  write(piece: Buffer, done: (error: Error | undefined, bytes: number) => void): void {
    this.#isWriting = true;
    this.#stream.write(piece, (error) => {
      this.#isWriting = false;
      if (error) this.#isGone = true;
      done(error ?? undefined, error ? 0 : piece.length);
    });
  }

  writeNow(piece: Buffer): void {
    if (!this.#isWriting && !this.isGone) writeSync(this.#fd, piece);
  }

  reopen(): void {}

  /** The stream is the process's, and so is the wish to hear of its errors: it stays. */
  close(): void {}
}
