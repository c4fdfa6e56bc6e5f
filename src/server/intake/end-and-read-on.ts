import type { Socket } from 'node:net';

/** Bytes of a body that nobody wants: beyond these the connection is cut. */
const MOST_LINGERING_BYTES = 65_536;
/** And whoever sends them slower than in this time, too. */
const LINGER_MS = 1_000;

/**
 * Says that no more will come, and reads on for a while: to close at once with data unread would reset the connection,
 * and the answer might be lost with it (RFC 9112, 9.6).
 */
export function endAndReadOn(socket: Socket): void {
  const from = socket.bytesRead;
  socket.end();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  timer.unref();
  const check = setInterval(() => {
    if (socket.bytesRead - from > MOST_LINGERING_BYTES) socket.destroy();
  }, LINGER_MS / 10);
  check.unref();
  socket.once('close', () => {
    clearTimeout(timer);
    clearInterval(check);
  });
}
