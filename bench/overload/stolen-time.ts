import { existsSync, readFileSync } from 'node:fs';

/** Of the main thread: time in use, time spent waiting for a processor, both in nanoseconds, and slices. */
const SCHEDULED = '/proc/self/schedstat';

/** For how long this process could have run, but somebody else did on its core. Known on Linux, else 0. */
export function stolenMs(): number {
  return existsSync(SCHEDULED) ? Number(readFileSync(SCHEDULED, 'utf8').split(' ')[1]) / 1e6 : 0;
}
