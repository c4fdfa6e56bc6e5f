import type { Duplex } from 'node:stream';
import { cutOff } from './cut-off.js';

/** When one side has said its last word, the other has this long for each next one. */
const HALF_OPEN_MS = 60_000;
/**
 * After this silence the kernel asks whether the other end is still there: who has vanished without a word would keep its
 * place for ever. As undici has it for connections to backends; firewalls forget silent ones after minutes.
 */
const KEEP_ALIVE_MS = 60_000;

type Connection = Duplex & {
  allowHalfOpen: boolean;
  setTimeout?(ms: number, listener: () => void): unknown;
  setKeepAlive?(enable: boolean, initialDelayMs: number): unknown;
};

/**
 * Joins two connections: what one says the other hears, no faster than it listens. When one stops talking it may still
 * listen, and when one breaks the other does too.
 */
export function splice(one: Duplex, other: Duplex): void {
  for (const connection of [one, other] as Connection[]) {
    // Before either has ended: it is looked at then.
    connection.allowHalfOpen = true;
    connection.setKeepAlive?.(true, KEEP_ALIVE_MS);
  }
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
