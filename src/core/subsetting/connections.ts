import { checkInteger } from '../check.js';
import { type BackendList, checkBackends } from './check-backends.js';
import { checkSubsetting, firstKeys, orderSeats, type SubsettingOptions } from './choose-subset.js';

/** All clients of one service, numbered from 0, and its backends. */
export interface Fleet extends Omit<SubsettingOptions, 'clientId'> {
  clientCount: number;
  backends: BackendList;
}

/** What a change of clients or backends costs in connections. */
export interface ConnectionsMoved {
  /** Connections of the same client to the same backend before and after. */
  kept: number;
  opened: number;
  closed: number;
  /** The larger of opened and closed over the larger total: a move is one opened for one closed and counts once. */
  movedShare: number;
}

/**
 * Connections that each backend of the list has when all clients are connected to their subsets; `spread` says how
 * even.
 */
export function countConnections(fleet: Fleet): Uint32Array {
  const seatOf = new Map(fleet.backends.map((key, seat) => [key, seat]));
  const counts = new Uint32Array(fleet.backends.length);
  for (const subset of subsetsOf(fleet)) for (const key of subset) counts[seatOf.get(key)!]!++;
  return counts;
}

/** What a change of backends, clients, size or algorithm costs. */
export function connectionsMoved(before: Fleet, after: Fleet): ConnectionsMoved {
  const oldSubsets = subsetsOf(before);
  const newSubsets = subsetsOf(after);
  const oldTotal = before.size * before.clientCount;
  const newTotal = after.size * after.clientCount;
  let kept = 0;
  for (const [client, subset] of newSubsets.entries()) {
    const old = new Set(oldSubsets[client]);
    for (const key of subset) if (old.has(key)) kept++;
  }
  const opened = newTotal - kept;
  const closed = oldTotal - kept;
  return { kept, opened, closed, movedShare: Math.max(opened, closed) / Math.max(oldTotal, newTotal) };
}

function subsetsOf(fleet: Fleet): string[][] {
  const { backends, clientCount, ...options } = fleet;
  const checked = checkSubsetting({ ...options, clientId: 0 });
  const takenCount = checkInteger('number of backends', checkBackends(backends), 1);
  checkInteger('size', checked.size, 1, takenCount);
  checkInteger('clientCount', clientCount, 1);
  return Array.from({ length: clientCount }, (_, clientId) =>
    firstKeys(backends, orderSeats(backends.length, { ...checked, clientId }), checked.size),
  );
}
