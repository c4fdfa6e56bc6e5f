import type { Socket } from 'node:net';

/** As much as libuv reads at once. */
const BYTES = 65_536;

const READER = Symbol('plimsoll.reader');

/** Reads what comes on a connection. `bytes` are somebody else's after it returns. False: no more for now. */
export interface BytesReader {
  onBytes(bytes: Buffer, length: number): boolean;
}

type ReadSocket = Socket & { [READER]?: BytesReader };

/**
 * One for all connections: each has been read from it before the next is read into it. Else each read has memory of its own,
 * which is made, wrapped, kept for a stream and collected: as long as all that we do with a short answer.
 */
const buffer = Buffer.allocUnsafeSlow(BYTES);

/** For `net.connect`: what comes goes to whoever reads the connection, and to no stream. */
export const onread = {
  buffer,
  /** Node calls it as a method of the connection. */
  callback(this: ReadSocket, length: number): boolean {
    const reader = this[READER];
    if (reader !== undefined) return reader.onBytes(buffer, length);
    // Nothing was asked yet: whatever it is, it is no answer.
    this.destroy();
    return false;
  },
} as const;

export function readBy(socket: Socket, reader: BytesReader): void {
  (socket as ReadSocket)[READER] = reader;
}
