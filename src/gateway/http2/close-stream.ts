import { constants, type Http2Stream } from 'node:http2';

const CLOSED_HERE = new WeakSet<Http2Stream>();

export const NO_ERROR = constants.NGHTTP2_NO_ERROR;
export const PROTOCOL_ERROR = constants.NGHTTP2_PROTOCOL_ERROR;
export const INTERNAL_ERROR = constants.NGHTTP2_INTERNAL_ERROR;
export const CANCEL = constants.NGHTTP2_CANCEL;

/** Ends a stream, for a reason of ours. */
export function closeStream(stream: Http2Stream, code: number): void {
  if (stream.destroyed || stream.closed) return;
  CLOSED_HERE.add(stream);
  stream.close(code);
}

/** Whether its end was our wish. */
export function isClosedHere(stream: Http2Stream): boolean {
  return CLOSED_HERE.has(stream);
}
