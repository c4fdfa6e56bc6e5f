import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type KnownClient, KnownClients } from './known-clients.js';

function client(peer: string, seenMs: number): KnownClient {
  return {
    peer,
    address: peer,
    port: 1,
    token: Buffer.alloc(16),
    cookie: Buffer.alloc(8),
    generation: 0,
    seenMs,
  };
}

const peers = (clients: KnownClients, now: number) => clients.list(now).map(({ peer }) => peer);

it('remembers, and forgets when told to', () => {
  const clients = new KnownClients(3, 100);
  clients.remember(client('a', 0));
  expect(clients.get('a', 0)?.peer).toBe('a');
  expect(clients.get('b', 0)).toBeUndefined();
  clients.forget('a');
  expect(clients.get('a', 0)).toBeUndefined();
  expect(clients.size).toBe(0);
});

it('forgets those heard of longest ago when there are too many', () => {
  const clients = new KnownClients(2, 100);
  clients.remember(client('a', 0));
  clients.remember(client('b', 1));
  clients.remember(client('a', 2));
  clients.remember(client('c', 3));
  expect(peers(clients, 3)).toEqual(['a', 'c']);
});

it('forgets who has not been heard of for a while', () => {
  const clients = new KnownClients(9, 100);
  clients.remember(client('a', 0));
  clients.remember(client('b', 50));
  expect(peers(clients, 99)).toEqual(['a', 'b']);
  expect(clients.get('a', 100)).toBeUndefined();
  expect(peers(clients, 100)).toEqual(['b']);
  expect(peers(clients, 3_600_000)).toEqual([]);
  expect(clients.size).toBe(0);
});

it('holds nobody when it may not', () => {
  const clients = new KnownClients(0, 100);
  clients.remember(client('a', 0));
  expect(clients.size).toBe(0);
});

it('never holds more than it may, nor anybody expired', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat({ max: 20 }), fc.nat({ max: 60 }))), (events) => {
      const clients = new KnownClients(5, 100);
      let now = 0;
      for (const [who, afterMs] of events) {
        now += afterMs;
        clients.remember(client(String(who), now));
        expect(clients.size).toBeLessThanOrEqual(5);
        expect(clients.list(now).every(({ seenMs }) => now - seenMs < 100)).toBe(true);
      }
    }),
  );
});
