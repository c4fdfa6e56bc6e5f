import type { Duplex } from 'node:stream';
import { AnswerQueue } from './answer-queue.js';
import { type CallHandler, CallStream, messageOf, UnfinishedBodies } from './call-stream.js';
import {
  FAREWELL,
  MOST_STREAMS,
  MOST_WAITING_BYTES,
  OUR_SETTINGS,
  PAUSE_BYTES,
  RECEIVE_BYTES,
  REFUSALS,
  THERE,
} from './connection-bounds.js';
import { ConnectionWatch, UNFINISHED_SWEEPS } from './connection-watch.js';
import { type CallHead, FrameReader } from './frame-reader.js';
import { FrameWriter } from './frame-writer.js';
import { ConnectionFault, ERRORS, FLAGS, FRAMES, LAST_STREAM, WINDOW_BYTES } from './frames.js';
import { ANSWER_END, ANSWER_HEAD, failureOf, GrpcFailure } from './header-blocks.js';
import { flushLater } from './late-flushes.js';

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
  readonly #bodies = new UnfinishedBodies();
  readonly #watch = new ConnectionWatch();
  #lastStream = 0;
  /** The last one that is answered. */
  #lastServed = LAST_STREAM;
  #receivedBytes = 0;
  #writtenBytes = 0;
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
      onSettings: () => this.#onSettings(),
      onPing: (payload, isAck) => this.#onPing(payload, isAck),
    });
    socket.on('data', (chunk: Buffer) => this.#onData(chunk));
    socket.on('drain', () => socket.resume());
    socket.on('end', () => socket.end());
    // Who is gone needs no answer; 'close' follows.
    socket.on('error', () => {});
    socket.on('close', () => this.#streams.clear());
    this.#writer.frame(FRAMES.settings, 0, 0, OUR_SETTINGS);
    this.#writer.numbers(FRAMES.windowUpdate, 0, 0, RECEIVE_BYTES - WINDOW_BYTES);
    this.flush();
  }

  /** Says that no more calls are wanted, answers those that come all the same, and ends when all are answered. */
  drain(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    // RFC 9113, 6.8: first that we are about to, and when the client has heard it, which call was the last.
    this.#goaway(LAST_STREAM, ERRORS.none);
    this.#writer.numbers(FRAMES.ping, 0, 0, 0, FAREWELL);
    this.flush();
  }

  /** The client has heard it, or was given time to. */
  finishDrain(): void {
    if (this.#lastServed !== LAST_STREAM) return;
    this.#lastServed = this.#lastStream;
    this.#goaway(this.#lastServed, ERRORS.none);
    this.#endIfDone();
    this.flush();
  }

  /** Bodies that are not all there, and answers that are not taken. */
  get keptBytes(): number {
    return this.#bodies.bytes + this.#answers.waitingBytes + this.#socket.writableLength;
  }

  /** Each second: ends calls that do not come to an end, and the connection when there is nobody any more. */
  sweep(): void {
    if (this.#isOver) {
      if (this.#watch.isFarewellOver()) this.#socket.destroy();
      return;
    }
    const { writableLength } = this.#socket;
    const state = this.#watch.sweep(this.#writtenBytes - writableLength, writableLength);
    if (state === 'gone') {
      this.destroy();
      return;
    }
    if (state === 'ask') this.#writer.numbers(FRAMES.ping, 0, 0, 0, THERE);
    for (const [stream, call] of this.#streams)
      if (!call.isAnswering && this.#watch.sweeps - call.sweep > UNFINISHED_SWEEPS)
        this.#refuse(stream, REFUSALS.tooLate, false);
    this.flush();
  }

  destroy(): void {
    this.#isOver = true;
    this.#socket.destroy();
  }

  #onData(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#watch.heard();
    try {
      this.#reader.read(chunk);
    } catch (error) {
      this.#goaway(this.#lastStream, error instanceof ConnectionFault ? error.code : ERRORS.protocol);
      this.flush();
      this.#isOver = true;
      this.#streams.clear();
      this.#socket.end();
      return;
    }
    this.flush();
  }

  #onHead(stream: number, head: CallHead, isEnd: boolean): boolean {
    const known = this.#streams.get(stream);
    if (known !== undefined) {
      if (isEnd && !known.isAnswering) this.#onCall(stream, known, this.#bodies.take(known));
      return false;
    }
    if (stream <= this.#lastStream) return false;
    this.#lastStream = stream;
    // The client has been told that these are not answered, and sends them elsewhere.
    if (stream > this.#lastServed) return true;
    if (this.#streams.size >= MOST_STREAMS || this.#pending >= MOST_STREAMS) {
      this.#writer.numbers(FRAMES.rstStream, 0, stream, ERRORS.refusedStream);
      return true;
    }
    const call = new CallStream(head, this.#watch.sweeps);
    this.#streams.set(stream, call);
    if (isEnd) this.#onCall(stream, call, undefined);
    return true;
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
    call.receivedBytes += frameBytes;
    // A body must fit the window that a stream has from the beginning: who has used it up waits for what does not come.
    if (call.receivedBytes > WINDOW_BYTES || (call.receivedBytes === WINDOW_BYTES && !isEnd))
      this.#refuse(stream, REFUSALS.tooLarge, isEnd);
    else if (isEnd && call.body === undefined) this.#onCall(stream, call, bytes);
    else if (call.refusal === undefined && !this.#bodies.add(call, bytes))
      this.#refuse(stream, REFUSALS.tooMany, isEnd);
    else if (isEnd) this.#onCall(stream, call, this.#bodies.take(call));
  }

  #onCall(stream: number, call: CallStream, body: Buffer | undefined): void {
    if (call.refusal !== undefined) {
      this.#streams.delete(stream);
      this.#writer.frame(FRAMES.headers, FLAGS.whole, stream, call.refusal);
      this.#endIfDone();
      return;
    }
    const answer = this.#ask(call.path, body);
    if (!(answer instanceof Promise)) {
      this.#answer(stream, call, answer);
      return;
    }
    call.isAnswering = true;
    this.#pending++;
    answer.then(
      (message) => this.#answerLater(stream, message),
      (error: unknown) => this.#answerLater(stream, failureOf(error)),
    );
  }

  #ask(path: string, body: Buffer | undefined): Buffer | GrpcFailure | Promise<Buffer> {
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
    this.#isFlushPlanned = true;
    flushLater(this);
  }

  #answer(stream: number, call: CallStream, answer: Buffer | GrpcFailure): void {
    call.isAnswering = true;
    if (answer instanceof GrpcFailure) {
      this.#watch.answered();
      this.#refuse(stream, answer, true);
      return;
    }
    this.#writer.frame(FRAMES.headers, FLAGS.endHeaders, stream, ANSWER_HEAD);
    this.#answers.send(stream, answer, call.windowBytes, () => {
      this.#writer.frame(FRAMES.headers, FLAGS.whole, stream, ANSWER_END);
      this.#streams.delete(stream);
      this.#watch.answered();
    });
    this.#endIfDone();
  }

  #refuse(stream: number, failure: GrpcFailure, isEnd: boolean): void {
    this.#forget(stream);
    this.#writer.frame(FRAMES.headers, FLAGS.whole, stream, failure.block);
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

  #onReset(stream: number): boolean {
    const call = this.#forget(stream);
    if (call === undefined) {
      if (stream > this.#lastStream) throw new ConnectionFault(ERRORS.protocol, 'a reset without a call');
      return false;
    }
    // Who takes no answers and gives up has had the work done as well.
    if (this.#answers.remove(stream) || !call.isAnswering) this.#watch.gaveUp();
    this.#endIfDone();
    return true;
  }

  #forget(stream: number): CallStream | undefined {
    const call = this.#streams.get(stream);
    if (call === undefined) return undefined;
    this.#streams.delete(stream);
    this.#bodies.take(call);
    return call;
  }

  #onSettings(): void {
    this.#watch.isReady = true;
    this.#writer.numbers(FRAMES.settings, FLAGS.ack, 0);
    // Answers that waited for a larger window may have been the last ones.
    this.#endIfDone();
  }

  #goaway(last: number, code: number): void {
    this.#writer.numbers(FRAMES.goaway, 0, 0, last, code);
  }

  #endIfDone(): void {
    if (this.#lastServed === LAST_STREAM || this.#streams.size > 0) return;
    this.flush();
    this.#socket.end();
  }

  /** Sends what was written so far. */
  flush(): void {
    this.#isFlushPlanned = false;
    const socket = this.#socket;
    const bytes = this.#writer.take();
    if (bytes === undefined || socket.destroyed || socket.writableEnded) return;
    socket.write(bytes);
    this.#writtenBytes += bytes.length;
    if (socket.writableLength + this.#answers.waitingBytes > MOST_WAITING_BYTES) this.destroy();
    else if (socket.writableLength > PAUSE_BYTES) socket.pause();
  }
}
