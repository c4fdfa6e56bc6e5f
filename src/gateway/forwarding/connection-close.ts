import type { Socket } from 'node:net';

const WAITING = Symbol('plimsoll.waiting-for-close');

type Followed = Socket & { [WAITING]?: Set<() => void> };

/**
 * Calls back when a connection closes, unless the returned function is called before. Of that a response behind others on
 * its connection hears nothing. One listener for all of a connection: Node warns of more than ten.
 */
export function onConnectionClose(socket: Socket, callback: () => void): () => void {
  const followed = socket as Followed;
  const waiting = followed[WAITING] ?? follow(followed);
  waiting.add(callback);
  return () => waiting.delete(callback);
}

function follow(socket: Followed): Set<() => void> {
  const waiting = new Set<() => void>();
  socket[WAITING] = waiting;
  socket.once('close', () => {
    for (const callback of waiting) callback();
  });
  return waiting;
}
