import { describe, expect, it } from 'vitest';
import { FRAMES } from './frames.js';
import { endGreediest } from './kept-bytes.js';
import { body, connected, frame, head, settings } from './peer.contract.js';

/** A connection with so many calls whose messages have begun, 1,000 bytes of each. */
function unfinished(calls: number) {
  const made = connected();
  for (let i = 0; i < calls; i++)
    made.peer.say(head(2 * i + 1), frame(FRAMES.data, 0, 2 * i + 1, Buffer.alloc(1_000)));
  return made;
}

describe('endGreediest', () => {
  it('ends who makes us keep the most, and nobody else, when it is too much together', () => {
    const [few, most, many] = [unfinished(10), unfinished(100), unfinished(50)];
    const all = [few, most, many].map(({ connection }) => connection);
    expect(few.connection.keptBytes).toBeGreaterThanOrEqual(10_000);
    endGreediest(all, 300_000);
    expect(most.peer.destroyed).toBe(false);
    endGreediest(all, 100_000);
    expect([few, most, many].map(({ peer }) => peer.destroyed)).toEqual([false, true, false]);
    // The others go on.
    few.peer.frames();
    few.peer.say(head(101), body(101));
    expect(few.peer.types()).toEqual(['headers', 'data', 'headers']);
  });

  it('counts answers that a client does not take', () => {
    const { connection, peer } = connected();
    expect(connection.keptBytes).toBe(0);
    peer.say(settings(0));
    for (let i = 0; i < 100; i++) peer.say(head(2 * i + 1), body(2 * i + 1));
    expect(connection.keptBytes).toBe(600);
    endGreediest([connection], 599);
    expect(peer.destroyed).toBe(true);
  });
});
