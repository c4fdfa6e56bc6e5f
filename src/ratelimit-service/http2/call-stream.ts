import type { CallHead } from './frame-reader.js';
import { WINDOW_BYTES } from './frames.js';
import { GRPC_STATUS, GrpcFailure, NOT_GRPC } from './header-blocks.js';

/** Longer than all methods there are: a path is kept until the call is answered. */
const MOST_PATH = 256;
/** gRPC over HTTP/2, "Requests": what follows is how messages are written; `application/grpc-web` is something else. */
const GRPC_TYPE = /^application\/grpc($|[+;])/;

/** Answers a call of a method, at once where it can: with a message, or a GrpcFailure. */
export type CallHandler = (path: string, message: Buffer) => Buffer | GrpcFailure | Promise<Buffer>;

/** A call that has begun on a connection and is not answered. */
export class CallStream {
  readonly path: string;
  /** What is sent instead of calling anybody, known from the headers. */
  readonly refusal: Buffer | undefined;
  /** The sweep of its connection before which it has begun. */
  readonly sweep: number;
  /** The body so far; it may have room behind. */
  body: Buffer | undefined = undefined;
  bodyBytes = 0;
  /** What it has used of the window of its stream. */
  receivedBytes = 0;
  /** How much more, or less, than others it may be sent. */
  windowBytes = 0;
  isAnswering = false;

  constructor({ method, path, type }: CallHead, sweep: number) {
    this.path = path.length > MOST_PATH ? '' : path;
    this.refusal = method === 'POST' && GRPC_TYPE.test(type) ? undefined : NOT_GRPC;
    this.sweep = sweep;
  }
}

/** Thousands of calls of the usual size whose end is under way; far less than all streams with a full window each. */
const MOST_BYTES = 4 * 2 ** 20;
/** What a buffer takes besides its bytes, about. */
const BUFFER_BYTES = 256;

/** Bodies of calls that are not all there, of one connection. */
export class UnfinishedBodies {
  bytes = 0;

  /** Keeps a copy of what has come; false when there are too many. */
  add(call: CallStream, bytes: Buffer): boolean {
    if (bytes.length === 0) return true;
    const { body, bodyBytes } = call;
    const length = bodyBytes + bytes.length;
    if (body === undefined) {
      call.body = Buffer.from(bytes);
      this.bytes += length + BUFFER_BYTES;
    } else {
      if (length > body.length) {
        // Twice as large, so that bodies of many small pieces are not copied at each of them.
        call.body = Buffer.allocUnsafeSlow(Math.max(length, Math.min(2 * length, WINDOW_BYTES)));
        body.copy(call.body, 0, 0, bodyBytes);
        this.bytes += call.body.length - body.length;
      }
      bytes.copy(call.body!, bodyBytes);
    }
    call.bodyBytes = length;
    return this.bytes <= MOST_BYTES;
  }

  /** The body, which is not kept from now on. */
  take(call: CallStream): Buffer | undefined {
    const { body, bodyBytes } = call;
    if (body === undefined) return undefined;
    this.bytes -= body.length + BUFFER_BYTES;
    call.body = undefined;
    call.bodyBytes = 0;
    return body.subarray(0, bodyBytes);
  }
}

/** Where a message of gRPC lies: behind a byte that says whether it is compressed, and its length. */
const PREFIX_BYTES = 5;

/** The one message of a call; a RangeError when it is something else, a GrpcFailure when it is compressed. */
export function messageOf(body: Buffer | undefined): Buffer {
  if (body === undefined || body.length < PREFIX_BYTES) throw new RangeError('the call has no message');
  if (body[0] !== 0)
    throw new GrpcFailure(GRPC_STATUS.unimplemented, 'compressed messages are not known here');
  if (body.readUInt32BE(1) !== body.length - PREFIX_BYTES)
    throw new RangeError('the call has more or less than one message');
  return body.subarray(PREFIX_BYTES);
}
