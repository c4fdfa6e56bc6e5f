import type { Duplex } from 'node:stream';
import { AnswerQueue } from './answer-queue.js';
import { CallStream, messageOf } from './call-stream.js';
import { type CallHead, FrameReader } from './frame-reader.js';
import { FrameWriter } from './frame-writer.js';
import { ConnectionFault, ERRORS, FLAGS, FRAMES, LAST_STREAM, SETTINGS, WINDOW_BYTES } from './frames.js';
import {
  ANSWER_END,
  ANSWER_HEAD,
  failureBlock,
  GRPC_STATUS,
  GrpcFailure,
  NOT_GRPC,
} from './header-blocks.js';
import { MOST_FIELD_BYTES } from './hpack-decoder.js';

/** Answers a call of a method, at once where it can: with a message, or a GrpcFailure. */
export type CallHandler = (path: string, message: Buffer) => Buffer | GrpcFailure | Promise<Buffer>;

/** A proxy has a call for each of its requests under way: with more than this a second connection serves it better. */
const MOST_STREAMS = 4_096;
/** What clients may send before they hear from us; half of it is given back at a time. */
const RECEIVE_BYTES = 16 * 2 ** 20;
/** A client that reads nothing is not read from either, and beyond the second is gone. */
const PAUSE_BYTES = 2 ** 18;
const MOST_WAITING_BYTES = 2 ** 22;
/**
 * Calls given up before all of them was there, beyond those that were answered: more is an attack (CVE-2023-44487). Whoever
 * has waited long enough may give up as often as he likes: what he asked for counts until the store has answered.
 */
const MOST_RESETS = 1_000;
/** What our ping says when it asks whether a farewell was heard. */
const FAREWELL = 0x504c_494d;

const WHOLE = FLAGS.endHeaders | FLAGS.endStream;

/**
 * A connection that speaks HTTP/2 and has calls of gRPC on it, unary ones only. Ours, since a call is then four frames, and
 * one write for all calls of a turn: `node:http2` makes a stream of each, and takes longer for that than the limiter for
 * all that it does (docs/decisions/0020).
 */
export class GrpcConnection {
  readonly #socket: Duplex;
  readonly #handle: CallHandler;
  readonly #writer = new FrameWriter();
  readonly #answers = new AnswerQueue(this.#writer);
  readonly #reader: FrameReader;
  readonly #streams = new Map<number, CallStream>();
  #lastStream = 0;
  /** The last one that is answered. */
  #lastServed = LAST_STREAM;
  #receivedBytes = 0;
  #resets = 0;
  /** Calls that the store has not answered, also of those who have given up. */
  #pending = 0;
  #isFlushPlanned = false;
  #isDraining = false;
  #isOver = false;

  constructor(socket: Duplex, handle: CallHandler) {
    this.#socket = socket;
    this.#handle = handle;
    this.#reader = new FrameReader({
      onHead: (stream, head, isEnd) => this.#onHead(stream, head, isEnd),
      onBody: (stream, bytes, frameBytes, isEnd) => this.#onBody(stream, bytes, frameBytes, isEnd),
      onReset: (stream) => this.#onReset(stream),
      onWindow: (stream, growth) => this.#onWindow(stream, growth),
      onInitialWindow: (bytes) => this.#answers.resize(bytes),
      onSettings: () => this.#writer.numbers(FRAMES.settings, FLAGS.ack, 0),
      onPing: (payload, isAck) => this.#onPing(payload, isAck),
    });
    socket.on('data', (chunk: Buffer) => this.#onData(chunk));
    socket.on('drain', () => socket.resume());
    socket.on('end', () => socket.end());
    // Who is gone needs no answer; 'close' follows.
    socket.on('error', () => {});
    socket.on('close', () => this.#streams.clear());
    this.#writeSettings();
    this.#flush();
  }

  /** Says that no more calls are wanted, answers those that come all the same, and ends when all are answered. */
  drain(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    // RFC 9113, 6.8: first that we are about to, and when the client has heard it, which call was the last.
    this.#goaway(LAST_STREAM, ERRORS.none);
    this.#writer.numbers(FRAMES.ping, 0, 0, 0, FAREWELL);
    this.#flush();
  }

  /** The client has heard it, or was given time to. */
  finishDrain(): void {
    if (this.#lastServed !== LAST_STREAM) return;
    this.#lastServed = this.#lastStream;
    this.#goaway(this.#lastServed, ERRORS.none);
    this.#endIfDone();
    this.#flush();
  }

  destroy(): void {
    this.#isOver = true;
    this.#socket.destroy();
  }

  #onData(chunk: Buffer): void {
    if (this.#isOver) return;
    try {
      this.#reader.read(chunk);
    } catch (error) {
      this.#goaway(this.#lastStream, error instanceof ConnectionFault ? error.code : ERRORS.protocol);
      this.#flush();
      this.#isOver = true;
      this.#socket.end();
      return;
    }
    this.#flush();
  }

  #onHead(stream: number, { method, path, type }: CallHead, isEnd: boolean): void {
    const known = this.#streams.get(stream);
    if (known !== undefined) {
      if (isEnd && !known.isAnswering) this.#onCall(stream, known);
      return;
    }
    if (stream <= this.#lastStream) return;
    this.#lastStream = stream;
    // The client has been told that these are not answered, and sends them elsewhere.
    if (stream > this.#lastServed) return;
    if (this.#streams.size >= MOST_STREAMS || this.#pending >= MOST_STREAMS) {
      this.#writer.numbers(FRAMES.rstStream, 0, stream, ERRORS.refusedStream);
      return;
    }
    const isGrpc = method === 'POST' && type.startsWith('application/grpc');
    const call = new CallStream(path, isGrpc ? undefined : NOT_GRPC);
    this.#streams.set(stream, call);
    if (isEnd) this.#onCall(stream, call);
  }

  #onBody(stream: number, bytes: Buffer, frameBytes: number, isEnd: boolean): void {
    this.#receivedBytes += frameBytes;
    if (this.#receivedBytes > RECEIVE_BYTES / 2) {
      this.#writer.numbers(FRAMES.windowUpdate, 0, 0, this.#receivedBytes);
      this.#receivedBytes = 0;
    }
    const call = this.#streams.get(stream);
    if (call === undefined || call.isAnswering) {
      if (stream > this.#lastStream) throw new ConnectionFault(ERRORS.protocol, 'a body without a call');
      return;
    }
    if (call.body === undefined) call.body = isEnd ? bytes : Buffer.from(bytes);
    else call.body = Buffer.concat([call.body, bytes]);
    call.receivedBytes += frameBytes;
    // A body must fit the window that a stream has from the beginning: who has used it up waits for what does not come.
    if (call.receivedBytes > WINDOW_BYTES || (call.receivedBytes === WINDOW_BYTES && !isEnd))
      this.#refuse(stream, new GrpcFailure(GRPC_STATUS.resourceExhausted, 'the message is too large'), isEnd);
    else if (isEnd) this.#onCall(stream, call);
  }

  #onCall(stream: number, call: CallStream): void {
    if (call.refusal !== undefined) {
      this.#streams.delete(stream);
      this.#writer.frame(FRAMES.headers, WHOLE, stream, call.refusal);
      return;
    }
    const answer = this.#ask(call);
    if (!(answer instanceof Promise)) {
      this.#answer(stream, call, answer);
      return;
    }
    call.isAnswering = true;
    call.body = undefined;
    this.#pending++;
    answer.then(
      (message) => this.#answerLater(stream, message),
      (error: unknown) => this.#answerLater(stream, failureOf(error)),
    );
  }

  #ask({ path, body }: CallStream): Buffer | GrpcFailure | Promise<Buffer> {
    try {
      return this.#handle(path, messageOf(body));
    } catch (error) {
      return failureOf(error);
    }
  }

  #answerLater(stream: number, answer: Buffer | GrpcFailure): void {
    this.#pending--;
    const call = this.#streams.get(stream);
    if (call === undefined || this.#isOver) return;
    this.#answer(stream, call, answer);
    if (this.#isFlushPlanned) return;
    // Answers of a store come many at a time.
    this.#isFlushPlanned = true;
    setImmediate(() => {
      this.#isFlushPlanned = false;
      this.#flush();
    });
  }

  #answer(stream: number, call: CallStream, answer: Buffer | GrpcFailure): void {
    this.#resets = Math.max(0, this.#resets - 1);
    if (answer instanceof GrpcFailure) {
      this.#refuse(stream, answer, true);
      return;
    }
    this.#writer.frame(FRAMES.headers, FLAGS.endHeaders, stream, ANSWER_HEAD);
    this.#answers.send(stream, answer, call.windowBytes, () => {
      this.#writer.frame(FRAMES.headers, WHOLE, stream, ANSWER_END);
      this.#streams.delete(stream);
    });
    this.#endIfDone();
  }

  #refuse(stream: number, failure: GrpcFailure, isEnd: boolean): void {
    this.#streams.delete(stream);
    this.#writer.frame(FRAMES.headers, WHOLE, stream, failureBlock(failure));
    // What is still to come is not wanted (RFC 9113, 8.1).
    if (!isEnd) this.#writer.numbers(FRAMES.rstStream, 0, stream, ERRORS.none);
    this.#endIfDone();
  }

  #onWindow(stream: number, growth: number): void {
    if (stream === 0) this.#answers.growConnection(growth);
    else if (!this.#answers.grow(stream, growth)) {
      const call = this.#streams.get(stream);
      if (call !== undefined) call.windowBytes += growth;
    }
    this.#endIfDone();
  }

  #onPing(payload: Buffer, isAck: boolean): void {
    if (!isAck) this.#writer.frame(FRAMES.ping, FLAGS.ack, 0, payload);
    else if (this.#isDraining && payload.readUInt32BE(4) === FAREWELL) this.finishDrain();
  }

  #onReset(stream: number): void {
    this.#answers.remove(stream);
    const call = this.#streams.get(stream);
    if (call === undefined) return;
    this.#streams.delete(stream);
    if (!call.isAnswering && ++this.#resets > MOST_RESETS)
      throw new ConnectionFault(ERRORS.enhanceYourCalm, 'too many calls are given up');
    this.#endIfDone();
  }

  #writeSettings(): void {
    const payload = Buffer.alloc(12);
    payload.writeUInt16BE(SETTINGS.maxConcurrentStreams, 0);
    payload.writeUInt32BE(MOST_STREAMS, 2);
    payload.writeUInt16BE(SETTINGS.maxHeaderListSize, 6);
    payload.writeUInt32BE(MOST_FIELD_BYTES, 8);
    this.#writer.frame(FRAMES.settings, 0, 0, payload);
    this.#writer.numbers(FRAMES.windowUpdate, 0, 0, RECEIVE_BYTES - WINDOW_BYTES);
  }

  #goaway(last: number, code: number): void {
    this.#writer.numbers(FRAMES.goaway, 0, 0, last, code);
  }

  #endIfDone(): void {
    if (this.#lastServed === LAST_STREAM || this.#streams.size > 0) return;
    this.#flush();
    this.#socket.end();
  }

  #flush(): void {
    const socket = this.#socket;
    const bytes = this.#writer.take();
    if (bytes === undefined || socket.destroyed || socket.writableEnded) return;
    socket.write(bytes);
    if (socket.writableLength + this.#answers.waitingBytes > MOST_WAITING_BYTES) this.destroy();
    else if (socket.writableLength > PAUSE_BYTES) socket.pause();
  }
}

/** A mistake of ours is told as such, and not in detail. */
function failureOf(error: unknown): GrpcFailure {
  if (error instanceof GrpcFailure) return error;
  if (error instanceof RangeError) return new GrpcFailure(GRPC_STATUS.invalidArgument, error.message);
  return new GrpcFailure(GRPC_STATUS.internal, 'the call failed');
}
