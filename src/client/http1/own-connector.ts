import { connect, type Socket } from 'node:net';
import { type buildConnector, errors } from 'undici';
import type { ConnectionOptions } from '../connections/connection-options.js';

/** As undici asks for a connection, and is given it. */
type Connector = ReturnType<typeof buildConnector>;

/** Reads what comes on a connection. `bytes` are somebody else's after it returns. False: no more for now. */
export interface BytesReader {
  onBytes(bytes: Buffer, length: number): boolean;
}

/** As much as libuv reads at once. */
const BUFFER_BYTES = 65_536;
/** As undici has it: whoever is gone without a word is noticed. */
const KEEP_ALIVE_MS = 60_000;
const DEFAULT_PORT = 80;

const READER = Symbol('plimsoll.reader');

type ReadSocket = Socket & { [READER]?: BytesReader };

/**
 * One for all connections: each has been read from it before the next is read into it. Else each read has memory of its own,
 * which is made, wrapped, kept for a stream and collected: as long as all that we do with a short answer.
 */
const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);

/** What comes on a connection of `createOwnConnector` goes to this, and to no stream. */
export function readBy(socket: Socket, reader: BytesReader): void {
  (socket as ReadSocket)[READER] = reader;
}

/** For whoever keeps some of it. Without a view first, as `Buffer.from` would have to be given: half of what is thrown away. */
export function copyOf(bytes: Buffer, start: number, end: number): Buffer {
  const copy = Buffer.allocUnsafe(end - start);
  bytes.copy(copy, 0, start, end);
  return copy;
}

/** Opens connections without TLS, which are read by whoever is named to `readBy`. */
export function createOwnConnector({ tls, connectTimeoutMs }: ConnectionOptions): Connector {
  return ({ hostname, port, localAddress }, callback) => {
    const socket: Socket = connect({
      ...(tls as object),
      host: hostname,
      port: Number(port) || DEFAULT_PORT,
      ...(localAddress ? { localAddress } : {}),
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
      onread: { buffer, callback: (length) => read(socket, length) },
    });
    const timer = setTimeout(() => {
      const where = `${hostname}:${port || DEFAULT_PORT}`;
      const message = `Connect Timeout Error (attempted address: ${where}, timeout: ${connectTimeoutMs}ms)`;
      socket.destroy(new errors.ConnectTimeoutError(message));
    }, connectTimeoutMs);
    let isTold = false;
    socket.once('connect', () => {
      clearTimeout(timer);
      isTold = true;
      callback(null, socket);
    });
    socket.on('error', (error) => {
      clearTimeout(timer);
      if (!isTold) callback(error, null);
      isTold = true;
    });
  };
}

function read(socket: ReadSocket, length: number): boolean {
  const reader = socket[READER];
  if (reader !== undefined) return reader.onBytes(buffer, length);
  // Nothing was asked yet: whatever it is, it is no answer.
  socket.destroy();
  return false;
}
