import { close, constants, fstat, open, openSync, stat, write, writeSync } from 'node:fs';
import type { Sink } from './sink.js';

/** Of what is written to a file with O_APPEND, nothing of others comes in between. */
const MOST_BYTES = 65_536;

/** O_NONBLOCK: a FIFO without a reader is an error, and not a wait without an end. */
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);

/** For those who run the gateway, and those who collect logs. */
const MODE = 0o640;

/** Whether a file has been moved away is looked at so often, while there is something to write. */
const LOOK_MS = 1_000;

/**
 * A file, or a descriptor that is one. It is opened anew when another file has its name, as programs that rotate logs
 * have it: on SIGHUP, and when that is seen. Several processes may write to one.
 */
export class FileSink implements Sink {
  readonly mostBytes = MOST_BYTES;
  readonly isGone = false;
  readonly #path: string | undefined;
  #fd: number;
  #lookedMs = 0;
  #isWriting = false;
  #isOpening = false;
  #isClosed = false;
  /** Opened, to be used from the next write on. */
  #next: number | undefined = undefined;

  /** Throws when the file cannot be opened. */
  constructor(file: string | number) {
    this.#path = typeof file === 'string' ? file : undefined;
    this.#fd = typeof file === 'string' ? openSync(file, FLAGS, MODE) : file;
  }

  write(piece: Buffer, done: (error: Error | undefined, bytes: number) => void): void {
    this.#takeNext();
    this.#isWriting = true;
    write(this.#fd, piece, 0, piece.length, null, (error, bytes) => {
      this.#isWriting = false;
      if (this.#isClosed) this.#closeNow();
      else this.#look();
      done(error ?? undefined, bytes ?? 0);
    });
  }

  writeNow(piece: Buffer): void {
    if (!this.#isWriting && !this.#isClosed) writeSync(this.#fd, piece);
  }

  #look(): void {
    const now = performance.now();
    if (this.#path === undefined || now < this.#lookedMs + LOOK_MS) return;
    this.#lookedMs = now;
    stat(this.#path, (gone, named) => {
      if (this.#isClosed) return;
      if (gone) this.reopen();
      else
        fstat(this.#fd, (error, own) => {
          if (!error && (own.ino !== named.ino || own.dev !== named.dev)) this.reopen();
        });
    });
  }

  /** What cannot be opened now is tried again at the next look; until then lines go where they went. */
  reopen(): void {
    if (this.#path === undefined || this.#isOpening || this.#isClosed) return;
    this.#isOpening = true;
    open(this.#path, FLAGS, MODE, (error, fd) => {
      this.#isOpening = false;
      if (error) return;
      if (this.#next !== undefined) close(this.#next, ignore);
      this.#next = fd;
      if (this.#isClosed) this.#closeNow();
      else if (!this.#isWriting) this.#takeNext();
    });
  }

  #takeNext(): void {
    if (this.#next === undefined) return;
    close(this.#fd, ignore);
    this.#fd = this.#next;
    this.#next = undefined;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (!this.#isWriting) this.#closeNow();
  }

  #closeNow(): void {
    if (this.#next !== undefined) close(this.#next, ignore);
    this.#next = undefined;
    // Descriptors that were given are somebody else's.
    if (this.#path !== undefined && this.#fd >= 0) close(this.#fd, ignore);
    if (this.#path !== undefined) this.#fd = -1;
  }
}

function ignore(): void {}
