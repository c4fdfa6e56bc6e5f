import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** Where Node tells of each connection that any server of this process has taken. */
const CONNECTIONS = 'net.server.socket';

/**
 * Closes connections beyond so many, those of all servers of this process together. `server.maxConnections` does not do in
 * a worker of `node:cluster`: who is full there hands a connection back to the primary, which offers it to the next, and
 * when all are full it goes around until one is free, at the cost of a core. `onRefused` is told of each. Returns how to stop.
 */
export function boundConnections(most: number, onRefused: () => void): () => void {
  let open = 0;
  const onConnection = (message: unknown) => {
    const { socket } = message as { readonly socket: Socket };
    open++;
    socket.once('close', () => open--);
    if (open <= most) return;
    onRefused();
    socket.destroy();
  };
  subscribe(CONNECTIONS, onConnection);
  return () => {
    unsubscribe(CONNECTIONS, onConnection);
  };
}
