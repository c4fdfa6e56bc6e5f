import { mix } from '../seeded-random.js';

/** A W3C trace id has 32 digits. What is longer is none, and whoever sends it does not get more of our time. */
const MOST_READ = 64;

/** "plim": of our own, so that whoever else hashes trace ids gets another order. */
const SEED = 0x706c696d;

/**
 * A request's place in [0, 1) in the order of refusal within its criticality: when a share of them has to go, those
 * below the share go. It is a hash of the trace id, so that all requests of one call tree stand or fall together, at
 * every backend: with k calls a tree and half of them refused, half of the trees live; were each refused by chance,
 * .5^k would (DAGOR, "Overload Control for Scaling WeChat Microservices").
 *
 * It is a hash, and not the id's own digits, because samplers go by those (W3C Trace Context, "random trace id"): the
 * refused would be just those that are, or are not, traced. It is MurmurHash3 (x86, 32 bits) of the id in small
 * letters over 2^32. Backends of different versions and languages have to agree on it: it must never change.
 *
 * Whoever chooses the trace id chooses the place: at the edge, where ids from outside are not believed, make a new one.
 */
export function refusalOrder(traceId: string): number {
  const length = Math.min(traceId.length, MOST_READ);
  const inWords = length & ~3;
  let hash = SEED;
  for (let index = 0; index < inWords; index += 4) {
    const low = byteAt(traceId, index) | (byteAt(traceId, index + 1) << 8);
    const high = byteAt(traceId, index + 2) | (byteAt(traceId, index + 3) << 8);
    const bits = hash ^ scramble(low | (high << 16));
    hash = (Math.imul((bits << 13) | (bits >>> 19), 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let index = length - 1; index >= inWords; index--) tail = (tail << 8) | byteAt(traceId, index);
  return (mix(hash ^ scramble(tail) ^ length) >>> 0) / 0x1_0000_0000;
}

/** 0x20 makes capitals small and leaves digits alone: the same id, however it is written. */
function byteAt(text: string, index: number): number {
  return (text.charCodeAt(index) | 0x20) & 0xff;
}

function scramble(word: number): number {
  const bits = Math.imul(word, 0xcc9e2d51);
  return Math.imul((bits << 15) | (bits >>> 17), 0x1b873593);
}
