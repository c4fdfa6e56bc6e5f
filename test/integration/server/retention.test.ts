import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { GuardedServer } from './guarded-server.js';
import { expectNoMishaps } from './mishaps.js';

expectNoMishaps();

async function areForgotten(held: readonly WeakRef<object>[]): Promise<boolean> {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  for (let tries = 0; tries < 50; tries++) {
    // A WeakRef that was looked at holds on until the end of the turn.
    await sleep(20);
    gc();
    if (held.every((ref) => ref.deref() === undefined)) return true;
  }
  return false;
}

/**
 * Connections are kept for minutes. If each had the last request that came on it, all that belongs to as many requests as
 * there are connections would be copied by each garbage collection.
 */
it('keeps nothing of a request that is over, though its connection is kept', async () => {
  const held: WeakRef<object>[] = [];
  const server = await GuardedServer.start((req, res) => {
    held.push(new WeakRef(req), new WeakRef(res));
    res.end('ok');
  });
  try {
    const clients = await server.clients(4);
    for (const client of clients) {
      client.get();
      expect((await client.answer()).status).toBe(200);
    }
    // Of the very last one Node's own frames, and async context, may still know.
    expect(await areForgotten(held.slice(0, -2))).toBe(true);
    expect(clients.some(({ isClosed }) => isClosed)).toBe(false);
  } finally {
    await server.stop();
  }
});
