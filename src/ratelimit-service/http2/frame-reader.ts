import { elapsedMs } from '../../core/index.js';
import {
  ConnectionFault,
  ERRORS,
  FLAGS,
  FRAME_BYTES,
  FRAME_HEAD_BYTES,
  FRAMES,
  LAST_STREAM,
  MOST_WINDOW_BYTES,
  PREFACE,
  SETTINGS,
} from './frames.js';
import { HpackDecoder, MOST_FIELD_BYTES } from './hpack-decoder.js';

/** What header fields say that matters here. */
export interface CallHead {
  readonly method: string;
  readonly path: string;
  readonly type: string;
}

/** Who is told what has come. */
export interface FrameListener {
  /** True for a call that begins with it. */
  onHead(stream: number, head: CallHead, isEnd: boolean): boolean;
  /** `bytes` without padding, `frameBytes` with it; a view of what was received, not a copy. */
  onBody(stream: number, bytes: Buffer, frameBytes: number, isEnd: boolean): void;
  /** False for one that is not under way. */
  onReset(stream: number): boolean;
  onWindow(stream: number, growth: number): void;
  onInitialWindow(bytes: number): void;
  /** All settings of a frame were told. */
  onSettings(): void;
  onPing(payload: Buffer, isAck: boolean): void;
}

/** Frames that carry nothing, within that time and without a call between: a client that only keeps alive sends one a second. */
const MOST_EMPTY = 1_000;
const EMPTY_MS = 10_000;

/** Makes frames of bytes, and of frames what they say (RFC 9113). What must not be is a ConnectionFault. */
export class FrameReader {
  readonly #listener: FrameListener;
  readonly #hpack = new HpackDecoder();
  #rest: Buffer | undefined = undefined;
  #hasPreface = false;
  /** The stream whose header fields go on in the next frame, and what there is of them. */
  #unfinished: { readonly stream: number; readonly isEnd: boolean; block: Buffer } | undefined = undefined;
  #empty = 0;
  #emptySinceMs = performance.now();

  constructor(listener: FrameListener) {
    this.#listener = listener;
  }

  read(chunk: Buffer): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = undefined;
    const at = this.#readFrames(bytes, this.#readPreface(bytes));
    if (at < bytes.length) this.#rest = bytes.subarray(at);
  }

  #readPreface(bytes: Buffer): number {
    if (this.#hasPreface) return 0;
    const length = Math.min(bytes.length, PREFACE.length);
    if (PREFACE.compare(bytes, 0, length, 0, length) !== 0)
      throw new ConnectionFault(ERRORS.protocol, 'this is no HTTP/2');
    this.#hasPreface = length === PREFACE.length;
    return this.#hasPreface ? length : bytes.length + 1;
  }

  #readFrames(bytes: Buffer, from: number): number {
    // The preface is not all there.
    if (from > bytes.length) return 0;
    let at = from;
    while (bytes.length - at >= FRAME_HEAD_BYTES) {
      const length = bytes.readUIntBE(at, 3);
      if (length > FRAME_BYTES) throw new ConnectionFault(ERRORS.frameSize, 'a frame is too large');
      const start = at + FRAME_HEAD_BYTES;
      if (bytes.length - start < length) break;
      const stream = bytes.readUInt32BE(at + 5) & LAST_STREAM;
      this.#onFrame(bytes[at + 3]!, bytes[at + 4]!, stream, bytes, start, start + length);
      at = start + length;
    }
    return at;
  }

  #onFrame(type: number, flags: number, stream: number, bytes: Buffer, start: number, end: number): void {
    if ((this.#unfinished !== undefined) !== (type === FRAMES.continuation))
      throw new ConnectionFault(ERRORS.protocol, 'header fields are interrupted');
    switch (type) {
      case FRAMES.data:
        this.#onData(flags, stream, bytes, start, end);
        return;
      case FRAMES.headers:
        this.#onHeaders(flags, stream, bytes, start, end);
        return;
      case FRAMES.continuation:
        this.#onContinuation(flags, stream, bytes, start, end);
        return;
      case FRAMES.settings:
        this.#onSettings(flags, stream, bytes, start, end);
        return;
      case FRAMES.windowUpdate:
        this.#onWindow(stream, numberOf(bytes, start, end) & LAST_STREAM);
        return;
      case FRAMES.ping:
        if (stream !== 0 || end - start !== 8)
          throw new ConnectionFault(ERRORS.frameSize, 'a ping has 8 bytes');
        this.#countEmpty();
        this.#listener.onPing(bytes.subarray(start, end), (flags & FLAGS.ack) !== 0);
        return;
      case FRAMES.rstStream:
        numberOf(bytes, start, end);
        if (!this.#listener.onReset(ofCall(stream))) this.#countEmpty();
        return;
      case FRAMES.pushPromise:
        throw new ConnectionFault(ERRORS.protocol, 'clients do not push');
      default:
        // Priorities, farewells and what others may have added (RFC 9113, 5.5).
        this.#countEmpty();
    }
  }

  #onData(flags: number, stream: number, bytes: Buffer, start: number, end: number): void {
    const [from, to] = unpadded(flags, bytes, start, end, 0);
    const isEnd = (flags & FLAGS.endStream) !== 0;
    if (from === to && !isEnd) this.#countEmpty();
    this.#listener.onBody(ofCall(stream), bytes.subarray(from, to), end - start, isEnd);
  }

  #onHeaders(flags: number, stream: number, bytes: Buffer, start: number, end: number): void {
    const [from, to] = unpadded(flags, bytes, start, end, (flags & FLAGS.priority) === 0 ? 0 : 5);
    const isEnd = (flags & FLAGS.endStream) !== 0;
    if ((flags & FLAGS.endHeaders) !== 0) this.#onBlock(ofCall(stream), isEnd, bytes, from, to);
    else this.#unfinished = { stream: ofCall(stream), isEnd, block: Buffer.from(bytes.subarray(from, to)) };
  }

  #onContinuation(flags: number, stream: number, bytes: Buffer, start: number, end: number): void {
    const unfinished = this.#unfinished!;
    if (stream !== unfinished.stream)
      throw new ConnectionFault(ERRORS.protocol, 'header fields are interrupted');
    if (start === end) this.#countEmpty();
    unfinished.block = Buffer.concat([unfinished.block, bytes.subarray(start, end)]);
    if (unfinished.block.length > MOST_FIELD_BYTES)
      throw new ConnectionFault(ERRORS.enhanceYourCalm, 'there are too many header fields');
    if ((flags & FLAGS.endHeaders) === 0) return;
    this.#unfinished = undefined;
    this.#onBlock(stream, unfinished.isEnd, unfinished.block, 0, unfinished.block.length);
  }

  #onBlock(stream: number, isEnd: boolean, bytes: Buffer, start: number, end: number): void {
    let method = '';
    let path = '';
    let type = '';
    try {
      this.#hpack.decode(bytes, start, end, ({ name, value }) => {
        if (name === ':path') path = value;
        else if (name === 'content-type') type = value;
        else if (name === ':method') method = value;
      });
    } catch (error) {
      throw new ConnectionFault(ERRORS.compression, (error as Error).message);
    }
    if (this.#listener.onHead(stream, { method, path, type }, isEnd)) this.#empty = 0;
    else this.#countEmpty();
  }

  #onSettings(flags: number, stream: number, bytes: Buffer, start: number, end: number): void {
    if (stream !== 0) throw new ConnectionFault(ERRORS.protocol, 'settings are of a connection');
    if ((end - start) % 6 !== 0) throw new ConnectionFault(ERRORS.frameSize, 'settings are cut off');
    this.#countEmpty();
    if ((flags & FLAGS.ack) !== 0) return;
    let windowBytes: number | undefined;
    for (let at = start; at < end; at += 6) {
      // How large our table may be, and our frames, does not matter: we keep none, and send small ones.
      if (bytes.readUInt16BE(at) !== SETTINGS.initialWindowSize) continue;
      windowBytes = bytes.readUInt32BE(at + 2);
      if (windowBytes > MOST_WINDOW_BYTES)
        throw new ConnectionFault(ERRORS.flowControl, 'a window is larger than allowed');
    }
    // The last one holds; a frame has room for thousands, and each would touch all answers that wait.
    if (windowBytes !== undefined) this.#listener.onInitialWindow(windowBytes);
    this.#listener.onSettings();
  }

  #onWindow(stream: number, growth: number): void {
    if (growth === 0) throw new ConnectionFault(ERRORS.protocol, 'a window grows by nothing');
    this.#countEmpty();
    this.#listener.onWindow(stream, growth);
  }

  #countEmpty(): void {
    if (++this.#empty <= MOST_EMPTY) return;
    const nowMs = performance.now();
    if (elapsedMs(this.#emptySinceMs, nowMs) < EMPTY_MS)
      throw new ConnectionFault(ERRORS.enhanceYourCalm, 'too many frames say nothing');
    this.#emptySinceMs = nowMs;
    this.#empty = 0;
  }
}

/** Streams of clients are odd (RFC 9113, 5.1.1). */
function ofCall(stream: number): number {
  if (stream % 2 === 0) throw new ConnectionFault(ERRORS.protocol, 'a call has an odd stream');
  return stream;
}

function numberOf(bytes: Buffer, start: number, end: number): number {
  if (end - start !== 4) throw new ConnectionFault(ERRORS.frameSize, 'a number has 4 bytes');
  return bytes.readUInt32BE(start);
}

/** Without the padding, and what stands before. */
function unpadded(
  flags: number,
  bytes: Buffer,
  start: number,
  end: number,
  before: number,
): [number, number] {
  const isPadded = (flags & FLAGS.padded) !== 0 && start < end;
  const from = start + (isPadded ? 1 : 0) + before;
  const to = end - (isPadded ? bytes[start]! : 0);
  if (from > to) throw new ConnectionFault(ERRORS.protocol, 'a frame has more padding than itself');
  return [from, to];
}
