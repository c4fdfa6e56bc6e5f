import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

/** Ends a connection so that the other end does not take it for a proper end. TLS has a word of its own for that. */
export function cutOff(connection: Duplex): void {
  if (connection instanceof Socket && !(connection instanceof TLSSocket)) connection.resetAndDestroy();
  else connection.destroy();
}
