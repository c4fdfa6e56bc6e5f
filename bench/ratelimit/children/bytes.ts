import { type AlgorithmName, createLimiter, memoryStore } from 'plimsoll/rate-limit';
import { collectGarbage } from '../../measure.js';

export interface BytesOptions {
  readonly algorithm: AlgorithmName;
  readonly keys: number;
}

/** Live bytes of each key beside its own text, which is there before. */
export function bytesPerKey({ algorithm, keys }: BytesOptions): number {
  const texts = Array.from({ length: keys }, (_, i) => `user:${10_000_000 + i}`);
  // As a Map wants them: their hashes are kept with the texts.
  new Set(texts);
  const store = memoryStore({ maxKeys: keys + 1 });
  const limiter = createLimiter({ algorithm, limit: 100, window: 'h', store });
  limiter.takeNow('first');
  const before = liveBytes();
  for (const text of texts) limiter.takeNow(text);
  const bytes = liveBytes() - before;
  if (store.snapshot().keys !== keys + 1) throw new Error('keys were forgotten while they were counted');
  return bytes / texts.length;
}

function liveBytes(): number {
  // Some things are only free after what held them is.
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
