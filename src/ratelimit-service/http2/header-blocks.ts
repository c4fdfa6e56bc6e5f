/** What a call ends with (gRPC over HTTP/2, "Responses"); those that we say. */
export const GRPC_STATUS = Object.freeze({
  ok: 0,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
});

/** A call that failed: what its caller is told. */
export class GrpcFailure extends Error {
  readonly status: number;
  #block: Buffer | undefined = undefined;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  /** An answer that is nothing but its end. */
  get block(): Buffer {
    this.#block ??= failureBlock(this);
    return this.#block;
  }
}

/** A mistake of ours is told as such, and not in detail. */
export function failureOf(error: unknown): GrpcFailure {
  if (error instanceof GrpcFailure) return error;
  if (error instanceof RangeError) return new GrpcFailure(GRPC_STATUS.invalidArgument, error.message);
  return new GrpcFailure(GRPC_STATUS.internal, 'the call failed');
}

/** A field that nobody is to remember (RFC 7541, 6.2.2): blocks are then the same on all connections. */
function literal(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  const { length } = bytes;
  // 127 is all ones of the seven bits that there are.
  const head = length < 127 ? [length] : [127, ((length - 127) & 0x7f) | 0x80, (length - 127) >> 7];
  return Buffer.concat([Buffer.from(head), bytes]);
}

const STATUS_200 = Buffer.from([0x88]);
/** Its name has a place in the static table. */
const CONTENT_TYPE = Buffer.concat([Buffer.from([0x0f, 0x10]), text('application/grpc')]);

/** An answer begins with it. */
export const ANSWER_HEAD = Buffer.concat([STATUS_200, CONTENT_TYPE]);
/** An answer that is right ends with it. */
export const ANSWER_END = literal('grpc-status', '0');
/** To what is no gRPC (gRPC over HTTP/2, "Requests": 415). */
export const NOT_GRPC = literal(':status', '415');

function failureBlock({ status, message }: GrpcFailure): Buffer {
  return Buffer.concat([
    ANSWER_HEAD,
    literal('grpc-status', String(status)),
    literal('grpc-message', encodeMessage(message)),
    // Whoever has compressed a message is told what to do instead (gRPC, "Compression").
    ...(status === GRPC_STATUS.unimplemented ? [literal('grpc-accept-encoding', 'identity')] : []),
  ]);
}

/** More than anybody reads; a message may have what a client has sent in it. */
const MOST_MESSAGE_BYTES = 200;

/** Percent-encoded: all but what is printable in ASCII, and the sign itself. */
function encodeMessage(message: string): string {
  const bytes = Buffer.from(message.slice(0, MOST_MESSAGE_BYTES)).subarray(0, MOST_MESSAGE_BYTES);
  return Array.from(bytes, (byte) =>
    byte >= 0x20 && byte <= 0x7e && byte !== 0x25
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');
}
