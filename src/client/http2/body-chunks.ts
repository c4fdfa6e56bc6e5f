import { errors } from 'undici';

type Chunk = string | Uint8Array;

/** The pieces of a body, in whichever form a caller has it. */
export function chunksOf(body: unknown): AsyncIterable<Chunk> | Iterable<Chunk> {
  if (typeof body === 'string') return [body];
  if (ArrayBuffer.isView(body)) return [new Uint8Array(body.buffer, body.byteOffset, body.byteLength)];
  if (body instanceof ArrayBuffer) return [new Uint8Array(body)];
  if (body instanceof Blob) return body.stream() as unknown as AsyncIterable<Chunk>;
  const { [Symbol.asyncIterator]: pieces } = body as Partial<AsyncIterable<Chunk>>;
  if (typeof pieces === 'function') return body as AsyncIterable<Chunk>;
  throw new errors.InvalidArgumentError('this form of a body cannot be sent over HTTP/2');
}
