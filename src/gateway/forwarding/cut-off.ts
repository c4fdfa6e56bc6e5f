import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

/**
 * Ends a connection so that the other end does not take it for a proper end. TLS has a word of its own for that. One that
 * has been told of an end is only closed: while that is on its way Node can neither reset it nor close it after it has
 * failed to (libuv: EINVAL), and its place would be taken for ever.
 */
export function cutOff(connection: Duplex): void {
  const isPlain = connection instanceof Socket && !(connection instanceof TLSSocket);
  if (isPlain && !connection.writableEnded) connection.resetAndDestroy();
  else connection.destroy();
}
