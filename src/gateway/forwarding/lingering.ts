import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Bytes of a body that nobody wants any more: beyond these the connection is cut. */
const MOST_DISCARDED_BYTES = 16_777_216;
/** And whoever sends them slower than in this time, too. */
const LONGEST_DISCARD_MS = 2_000;

const LEAVING = Symbol('plimsoll.leaving');

/** What comes on this connection is not looked at any more: its last answer has been given. */
export function isLeaving(socket: Socket): boolean {
  return (socket as { [LEAVING]?: boolean })[LEAVING] === true;
}

/**
 * Reads the rest of a body whose request was answered before its end, and throws it away: to close at once with data
 * unread would reset the connection, and the answer might be lost with it (RFC 9112, 9.6). To be called when the answer
 * is written; nothing that follows on the connection is processed.
 */
export function discardRest(req: IncomingMessage, res: ServerResponse): void {
  const { socket } = req;
  if (req.complete || socket.destroyed) {
    req.resume();
    return;
  }
  (socket as { [LEAVING]?: boolean })[LEAVING] = true;
  // Node closes it as soon as an answer that says so is out.
  socket.destroySoon = () => socket.end();
  const from = socket.bytesRead;
  const over = setTimeout(() => socket.destroy(), LONGEST_DISCARD_MS).unref();
  req.on('error', () => {});
  req.on('data', () => {
    if (socket.bytesRead - from > MOST_DISCARDED_BYTES) socket.destroy();
  });
  req.on('end', () => {
    if (res.writableFinished) socket.end();
    else res.once('finish', () => socket.end());
  });
  socket.once('close', () => clearTimeout(over));
  req.resume();
}
