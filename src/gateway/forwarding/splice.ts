import type { Duplex } from 'node:stream';
import { cutOff } from './cut-off.js';

/** When one side has said its last word, the other has this long for each next one. */
const HALF_OPEN_MS = 60_000;

type Connection = Duplex & { allowHalfOpen: boolean; setTimeout?(ms: number, listener: () => void): unknown };

/**
 * Joins two connections: what one says the other hears, no faster than it listens. When one stops talking it may still
 * listen, and when one breaks the other does too.
 */
export function splice(one: Duplex, other: Duplex): void {
  // Before either has ended: it is looked at then.
  (one as Connection).allowHalfOpen = true;
  (other as Connection).allowHalfOpen = true;
  pass(one as Connection, other as Connection);
  pass(other as Connection, one as Connection);
}

function pass(from: Connection, to: Connection): void {
  from.on('error', () => cutOff(to));
  from.on('close', () => {
    if (!from.readableEnded || from.errored !== null) cutOff(to);
  });
  from.on('end', () => {
    to.setTimeout?.(HALF_OPEN_MS, () => to.destroy());
    from.setTimeout?.(HALF_OPEN_MS, () => from.destroy());
  });
  from.pipe(to);
}
