import { FRAME_BYTES, FRAME_HEAD_BYTES, FRAMES } from './frames.js';

/** Two answers. Where a connection has one call at a time, more would be made for each and thrown away. */
const FIRST_BYTES = 256;

/** Frames one after the other, until they are taken to be sent: all answers of a turn are one write. */
export class FrameWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #at = 0;

  get length(): number {
    return this.#at;
  }

  /** What was written since the last time; undefined when it is nothing. */
  take(): Buffer | undefined {
    if (this.#at === 0) return undefined;
    const bytes = this.#bytes.subarray(0, this.#at);
    // The next one is probably as large; what is being sent must stay as it is.
    this.#bytes = Buffer.allocUnsafe(Math.max(FIRST_BYTES, Math.min(this.#bytes.length, 2 * this.#at)));
    this.#at = 0;
    return bytes;
  }

  /** A frame with a payload that is there already. */
  frame(type: number, flags: number, stream: number, payload: Uint8Array): void {
    this.#head(payload.length, type, flags, stream);
    this.#put(payload);
  }

  /** A frame of numbers with 32 bits. */
  numbers(type: number, flags: number, stream: number, ...values: readonly number[]): void {
    this.#head(4 * values.length, type, flags, stream);
    for (const value of values) this.#uint32(value);
  }

  /** One message of gRPC as a frame: a byte that says that it is not compressed, its length, and itself. */
  message(stream: number, message: Uint8Array): void {
    this.#head(message.length + 5, FRAMES.data, 0, stream);
    this.#reserve(5);
    this.#bytes[this.#at++] = 0;
    this.#uint32(message.length);
    this.#put(message);
  }

  /** Part of a message that does not fit a frame or a window; at most 16 KB. */
  data(stream: number, bytes: Uint8Array): void {
    this.frame(FRAMES.data, 0, stream, bytes.length > FRAME_BYTES ? bytes.subarray(0, FRAME_BYTES) : bytes);
  }

  #head(length: number, type: number, flags: number, stream: number): void {
    this.#reserve(FRAME_HEAD_BYTES);
    const bytes = this.#bytes;
    let at = this.#at;
    bytes[at++] = length >> 16;
    bytes[at++] = length >> 8;
    bytes[at++] = length;
    bytes[at++] = type;
    bytes[at++] = flags;
    this.#at = at;
    this.#uint32(stream);
  }

  #uint32(value: number): void {
    this.#reserve(4);
    const bytes = this.#bytes;
    bytes[this.#at++] = value >>> 24;
    bytes[this.#at++] = value >>> 16;
    bytes[this.#at++] = value >>> 8;
    bytes[this.#at++] = value;
  }

  #put(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  #reserve(length: number): void {
    if (this.#at + length <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#at + length));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}
