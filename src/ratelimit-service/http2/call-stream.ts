/** A call that has begun on a connection and is not answered. */
export class CallStream {
  readonly path: string;
  /** What is sent instead of calling anybody, known from the headers. */
  readonly refusal: Buffer | undefined;
  /** Pieces of the body so far. */
  body: Buffer | undefined = undefined;
  /** What it has used of the window of its stream. */
  receivedBytes = 0;
  /** How much more, or less, than others it may be sent. */
  windowBytes = 0;
  isAnswering = false;

  constructor(path: string, refusal: Buffer | undefined) {
    this.path = path;
    this.refusal = refusal;
  }
}

/** Where a message of gRPC lies: behind a byte that says whether it is compressed, and its length. */
const PREFIX_BYTES = 5;

/** The one message of a call; a RangeError when it is something else. */
export function messageOf(body: Buffer | undefined): Buffer {
  if (body === undefined || body.length < PREFIX_BYTES) throw new RangeError('the call has no message');
  if (body[0] !== 0) throw new RangeError('compressed messages are not known here');
  if (body.readUInt32BE(1) !== body.length - PREFIX_BYTES)
    throw new RangeError('the call has more or less than one message');
  return body.subarray(PREFIX_BYTES);
}
