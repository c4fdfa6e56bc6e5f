import type { FrameWriter } from './frame-writer.js';
import { FRAME_BYTES, MOST_WINDOW_BYTES, WINDOW_BYTES } from './frames.js';

interface Waiting {
  readonly stream: number;
  readonly finish: () => void;
  rest: Buffer;
  windowBytes: number;
}

/**
 * Messages that do not fit what their client will take at present (RFC 9113, 5.2), in order. It is empty for all clients
 * that read: then a message goes out as it comes.
 */
export class AnswerQueue {
  readonly #writer: FrameWriter;
  /** By stream, in the order in which they came. */
  readonly #waiting = new Map<number, Waiting>();
  #connectionBytes = WINDOW_BYTES;
  #streamBytes = WINDOW_BYTES;
  /** How many bytes wait. */
  waitingBytes = 0;

  constructor(writer: FrameWriter) {
    this.#writer = writer;
  }

  /** A message; `finish` is called as soon as all of it was written. */
  send(stream: number, message: Uint8Array, extraBytes: number, finish: () => void): void {
    const length = message.length + 5;
    const windowBytes = this.#streamBytes + extraBytes;
    if (
      this.#waiting.size === 0 &&
      length <= this.#connectionBytes &&
      length <= windowBytes &&
      length <= FRAME_BYTES
    ) {
      this.#connectionBytes -= length;
      this.#writer.message(stream, message);
      finish();
      return;
    }
    const rest = Buffer.alloc(length);
    rest.writeUInt32BE(message.length, 1);
    rest.set(message, 5);
    this.waitingBytes += length;
    this.#waiting.set(stream, { stream, rest, windowBytes, finish });
    this.flush();
  }

  /** The client will take so much more, of a stream that waits; false when there is none. */
  grow(stream: number, bytes: number): boolean {
    const found = this.#waiting.get(stream);
    if (found === undefined) return false;
    found.windowBytes = checkWindow(found.windowBytes + bytes);
    if (this.#isDone(found)) this.#waiting.delete(stream);
    return true;
  }

  growConnection(bytes: number): void {
    this.#connectionBytes = checkWindow(this.#connectionBytes + bytes);
    this.flush();
  }

  /** What each stream may be sent from the beginning has changed, also for those that have begun (RFC 9113, 6.9.2). */
  resize(bytes: number): void {
    for (const waiting of this.#waiting.values())
      waiting.windowBytes = checkWindow(waiting.windowBytes + bytes - this.#streamBytes);
    this.#streamBytes = checkWindow(bytes);
    this.flush();
  }

  /** Whoever has given up is not sent anything more; false when nothing waits for him. */
  remove(stream: number): boolean {
    const found = this.#waiting.get(stream);
    if (found === undefined) return false;
    this.waitingBytes -= found.rest.length;
    return this.#waiting.delete(stream);
  }

  flush(): void {
    for (const waiting of this.#waiting.values()) {
      if (this.#connectionBytes <= 0) return;
      if (this.#isDone(waiting)) this.#waiting.delete(waiting.stream);
    }
  }

  #isDone(waiting: Waiting): boolean {
    for (;;) {
      const length = Math.min(waiting.rest.length, waiting.windowBytes, this.#connectionBytes, FRAME_BYTES);
      if (length <= 0) return false;
      this.#writer.data(waiting.stream, waiting.rest.subarray(0, length));
      waiting.rest = waiting.rest.subarray(length);
      waiting.windowBytes -= length;
      this.#connectionBytes -= length;
      this.waitingBytes -= length;
      if (waiting.rest.length > 0) continue;
      waiting.finish();
      return true;
    }
  }
}

function checkWindow(bytes: number): number {
  if (bytes > MOST_WINDOW_BYTES) throw new RangeError('a window is larger than allowed');
  return bytes;
}
