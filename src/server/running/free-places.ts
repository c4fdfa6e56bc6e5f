import type { Gate } from '../../core/index.js';
import type { GuardedRequest } from '../guarded-request.js';
import type { Connection } from '../intake/connection.js';
import type { Orphans } from './orphans.js';
import { STREAM_MS } from './waits-for-client.js';

/**
 * For when no more may run. Those that only wait for their clients give up their places (they go on running), and who
 * has waited too long behind them is told.
 */
export function freePlaces(
  gate: Gate<GuardedRequest>,
  connections: Iterable<Connection>,
  orphans: Orphans,
  now: number,
): void {
  for (const connection of connections) {
    for (const request of connection.open) {
      const { state, ticket } = request;
      if (state === 'running' && ticket !== undefined && request.exchange.isWaitingForClient(request, now))
        gate.detach(ticket);
    }
  }
  for (const { ticket } of orphans.olderThan(STREAM_MS, now)) {
    if (ticket !== undefined) gate.detach(ticket);
  }
  gate.expire(now);
}
