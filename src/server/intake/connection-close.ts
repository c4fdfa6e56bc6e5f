import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const WAITING = Symbol('plimsoll.waiting-for-close');

type Followed = Socket & { [WAITING]?: Set<() => void> };

/**
 * Nobody is left to be answered. A response behind others on its connection hears nothing of its end: that is asked of the
 * connection itself.
 */
export function isClientGone(req: IncomingMessage, res: ServerResponse): boolean {
  return res.destroyed || req.socket.destroyed;
}

/**
 * Calls back when a connection closes, unless the returned function is called before; at once when it has broken already,
 * or nobody would ever say so. One listener for all of a connection: Node warns of more than ten.
 */
export function onConnectionClose(socket: Socket, callback: () => void): () => void {
  if (socket.destroyed) {
    callback();
    return nothing;
  }
  const followed = socket as Followed;
  const waiting = followed[WAITING] ?? follow(followed);
  waiting.add(callback);
  return () => waiting.delete(callback);
}

/** Calls back once when a response is over: at its own close or, where it hears of none, at that of its connection. */
export function onResponseClose(res: ServerResponse, callback: () => void): void {
  if (res.socket !== null) {
    res.once('close', callback);
    return;
  }
  let unfollow = nothing;
  const end = () => {
    unfollow();
    res.off('close', end);
    callback();
  };
  res.once('close', end);
  unfollow = onConnectionClose(res.req.socket, end);
}

function follow(socket: Followed): Set<() => void> {
  const waiting = new Set<() => void>();
  socket[WAITING] = waiting;
  socket.once('close', () => {
    for (const callback of waiting) callback();
  });
  return waiting;
}

function nothing(): void {}
