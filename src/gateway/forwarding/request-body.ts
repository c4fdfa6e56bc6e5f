import type { IncomingMessage } from 'node:http';
import { BodyTooLargeError } from './problem.js';

type Result = IteratorResult<Buffer, undefined>;

const DONE: Result = { value: undefined, done: true };

/**
 * The body of a request, read as fast as it is asked for. Not the stream itself: whoever is given a stream destroys it
 * when it is not wanted any more, and with it the connection that the answer is to go out on.
 */
export class StreamedBody implements AsyncIterableIterator<Buffer, undefined> {
  readonly #req: IncomingMessage;
  readonly #mostBytes: number;
  /** Called when it is asked for first: the client may be waiting for word to send it. */
  readonly #onAsked: () => void;
  #bytes = 0;
  #isAsked = false;
  #isOver = false;
  #error: Error | undefined = undefined;
  #waiting: ((result: Result | Promise<Result>) => void) | undefined = undefined;
  #onBegun: (() => void) | undefined = undefined;

  constructor(req: IncomingMessage, mostBytes: number, onAsked: () => void) {
    this.#req = req;
    this.#mostBytes = mostBytes;
    this.#onAsked = onAsked;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    if (!this.#isAsked) this.#start();
    const ready = this.#take();
    if (ready !== undefined) return ready;
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /** Calls back once, when a first piece of it is there, or its end. */
  whenBegun(onBegun: () => void): void {
    this.#onBegun = onBegun;
    this.#start();
    if (this.#req.readableLength > 0 || this.#req.readableEnded) this.#look();
  }

  /** Nobody wants the rest. */
  return(): Promise<Result> {
    this.#stop();
    return Promise.resolve(DONE);
  }

  #start(): void {
    const req = this.#req;
    this.#isAsked = true;
    req.on('readable', this.#look);
    req.on('end', this.#look);
    req.on('error', this.#fail);
    req.on('close', this.#onClose);
    // It was cut off before anybody asked, and says so no more.
    if (req.destroyed) this.#onClose();
    else this.#onAsked();
  }

  /** What can be said now; undefined: nothing yet. */
  #take(): Promise<Result> | undefined {
    if (this.#error !== undefined) return Promise.reject(this.#error);
    if (this.#isOver) return Promise.resolve(DONE);
    const chunk = this.#req.read() as Buffer | null;
    if (chunk !== null) return this.#count(chunk);
    return this.#req.readableEnded ? Promise.resolve(DONE) : undefined;
  }

  #count(chunk: Buffer): Promise<Result> {
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#mostBytes) return Promise.resolve({ value: chunk, done: false });
    this.#error = new BodyTooLargeError();
    return Promise.reject(this.#error);
  }

  readonly #look = (): void => {
    const onBegun = this.#onBegun;
    this.#onBegun = undefined;
    onBegun?.();
    const resolve = this.#waiting;
    if (resolve === undefined) return;
    const ready = this.#take();
    if (ready === undefined) return;
    this.#waiting = undefined;
    resolve(ready);
  };

  readonly #fail = (error: Error): void => {
    this.#error ??= error;
    this.#look();
  };

  /** Before its end: its client has gone. */
  readonly #onClose = (): void => {
    if (!this.#req.readableEnded) this.#fail(new Error('the request was cut off'));
  };

  #stop(): void {
    const req = this.#req;
    this.#isOver = true;
    this.#look();
    req.off('readable', this.#look);
    req.off('end', this.#look);
    req.off('close', this.#onClose);
    // The listener to errors stays: without one they would end the process.
  }
}

/** Reads a body that is short: it can then be sent in one piece, and again. `onBody` is not called when it is cut off. */
export function collectBody(req: IncomingMessage, onBody: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => onBody(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
  req.on('error', () => {});
}
