import type { ServerWritableStream } from '@grpc/grpc-js';
import { peekRequest } from '../../context/index.js';
import { GuardedRequest } from '../../server/guarded-request.js';
import { GRPC_STATUS } from '../../wire/index.js';

export type StreamingCall = ServerWritableStream<unknown, unknown>;

/**
 * Streams that are held open to be told something now and then, in a bounded number, and for those alone that are trusted.
 * To others it is as if there were none: gRFC A17 has clients go on without then, where any other error would keep them out.
 */
export class LongStreams {
  readonly #most: number;
  readonly #calls = new Set<StreamingCall>();

  constructor(most: number) {
    this.#most = most;
  }

  /** False when it was not taken; it is answered then. */
  add(call: StreamingCall): boolean {
    const request = peekRequest();
    const isTrusted = request instanceof GuardedRequest && request.connection.isTrusted;
    if (!isTrusted || this.#calls.size >= this.#most) {
      call.emit('error', { code: GRPC_STATUS.unimplemented, details: 'not for you, or not for more' });
      return false;
    }
    this.#calls.add(call);
    call.on('cancelled', () => this.#calls.delete(call));
    return true;
  }

  has(call: StreamingCall): boolean {
    return this.#calls.has(call);
  }

  get size(): number {
    return this.#calls.size;
  }

  *[Symbol.iterator](): IterableIterator<StreamingCall> {
    // Who does not read is not written for: what is told is told again.
    for (const call of this.#calls) if (!call.writableNeedDrain) yield call;
  }

  endAll(): void {
    for (const call of this.#calls)
      call.emit('error', { code: GRPC_STATUS.unavailable, details: 'the server is leaving' });
    this.#calls.clear();
  }
}
