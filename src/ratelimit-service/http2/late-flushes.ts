/** Something that has written what is not sent yet. */
export interface Flushed {
  flush(): void;
}

let waiting: Flushed[] = [];

/**
 * Sends at the end of what is going on: an answer of a store decides many calls, each in a promise of its own, and those
 * of one connection are to leave in one piece. A tick comes when all those promises are through, and before anything else is
 * read: with the turn's end instead, answers wait for requests that are being read behind them, and on many connections
 * at one call each clients and server then work in turns, not at the same time.
 */
export function flushLater(connection: Flushed): void {
  if (waiting.push(connection) === 1) process.nextTick(flushAll);
}

function flushAll(): void {
  const all = waiting;
  waiting = [];
  for (const connection of all) connection.flush();
}
