import type { ServerResponse } from 'node:http';
import { requestOf } from '../../server/intake/guarded-response.js';

/**
 * The guard in front counts what it has let in as running, and lets only so many run at once. A request that waits for
 * its turn here does nothing: it gives its place back, and is not counted again when it is sent on, since the pace bounds
 * how many those are. It goes on being let in: quota, deadline, drain and load report know it.
 */
export function setAside(res: ServerResponse): void {
  const request = requestOf(res);
  if (request?.ticket === undefined) return;
  const { gate, loop } = request.connection.door;
  gate.detach(request.ticket);
  // Somebody may run in its place.
  if (gate.waiting > 0) loop.wake();
}
