import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { acceptConnection } from '../../server/intake/unlisted-connections.js';
import { protocolOf } from './preface.js';

type Emit = (this: Server, event: string | symbol, ...args: unknown[]) => boolean;

/** Takes connections that speak HTTP/2. */
export type Accept = (socket: Socket) => void;

/** For TLS: the two are agreed on in the handshake, ours first. */
export const ALPN = Object.freeze(['h2', 'http/1.1']);

/**
 * Keeps connections that speak HTTP/2 from a server of HTTP/1.1, and gives them to `accept`. Where TLS has not settled it,
 * the first bytes do (see `protocolOf`). To be called before a guard is attached: neither it nor the server hears of
 * connections that are not theirs. It is the event that is held back, as listeners come and go.
 */
export function divert(server: Server, isEncrypted: boolean, firstBytesMs: number, accept: Accept): void {
  const event = isEncrypted ? 'secureConnection' : 'connection';
  const { emit } = server as unknown as { emit: Emit };
  (server as unknown as { emit: Emit }).emit = function (name, ...args) {
    if (name !== event) return emit.call(this, name, ...args);
    const socket = args[0] as Socket;
    const goOn = () => acceptConnection(this, socket, () => emit.call(this, name, ...args));
    if (!isEncrypted) {
      sniff(socket, firstBytesMs, (protocol) => (protocol === 'http2' ? accept(socket) : goOn()));
      return true;
    }
    if ((socket as TLSSocket).alpnProtocol !== 'h2') return goOn();
    accept(socket);
    return true;
  };
}

/** Reads no more than it takes to tell, and gives it back. Who says nothing for too long is not waited for. */
function sniff(socket: Socket, firstBytesMs: number, onKnown: (protocol: 'http2' | 'http1') => void): void {
  let first: Buffer = Buffer.alloc(0);
  const timer = setTimeout(() => socket.destroy(), firstBytesMs).unref();
  const stop = () => {
    clearTimeout(timer);
    socket.off('readable', look);
    socket.off('error', stop);
    socket.off('close', stop);
  };
  const look = () => {
    const chunk = socket.read() as Buffer | null;
    // The end, without a word.
    if (chunk === null) {
      if (socket.readableEnded) socket.destroy();
      return;
    }
    first = first.length === 0 ? chunk : Buffer.concat([first, chunk]);
    const protocol = protocolOf(first);
    if (protocol === undefined) return;
    stop();
    socket.unshift(first);
    onKnown(protocol);
  };
  socket.on('error', stop);
  socket.on('close', stop);
  socket.on('readable', look);
}
