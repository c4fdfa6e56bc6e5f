import { checkDistinct } from '../check.js';
import { mix } from '../seeded-random.js';
import type { BackendList } from './check-backends.js';

/** FNV's prime and basis: each character changes all bits above it, and `mix` those below. */
const PRIME = 0x0100_0193;
const BASIS = 0x811c_9dc5;

/**
 * Seats for backends that nobody has numbered (addresses from DNS, pods of a Deployment), such that all clients agree
 * and few backends change theirs when the list does. In a sorted list whoever joins or leaves in the middle moves all
 * that follow, and half of all connections with them. Here each has the seat of its hash, or the next free one, in a row
 * of 4/3 to 8/3 as many seats as backends: one that leaves takes hardly anybody along.
 *
 * Vacant seats cost balance: 300 clients with 20 of 300 backends each have 16 to 24 at a backend, where a list without
 * gaps gives every one 20 (random subsets: 8 to 31). When the backends outgrow the row it doubles, and most move once.
 */
export function hashedSeats(keys: readonly string[]): BackendList {
  checkDistinct('backends', keys);
  if (keys.length === 0) return [];
  let seats = 1;
  while (seats * MOST_TAKEN < keys.length) seats *= 2;
  const list = new Array<string | undefined>(seats).fill(undefined);
  // In an order of the keys alone: who comes first keeps the seat that both want.
  const hashed = keys.toSorted().map((key) => ({ key, hash: hashOf(key) }));
  hashed.sort((a, b) => a.hash - b.hash);
  for (const { key, hash } of hashed) {
    let seat = hash % seats;
    while (list[seat] !== undefined) seat = (seat + 1) % seats;
    list[seat] = key;
  }
  return list;
}

/** Fuller, and those who do not find their own seat free wander far: one that leaves moves more of them. */
const MOST_TAKEN = 0.75;

function hashOf(key: string): number {
  let hash = BASIS;
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), PRIME);
  return mix(hash) >>> 0;
}
