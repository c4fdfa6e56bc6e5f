import { checkDistinct } from '../check.js';

/**
 * The backends of a service in the order all its clients share: by task index, or any other list that stays as it is.
 * A backend is known by its seat in the list. One that leaves for good should leave its seat vacant (`undefined`) until
 * another takes it: closing the gap would give all later backends new seats, and move their connections.
 */
export type BackendList = readonly (string | undefined)[];

/** Checks that keys are distinct strings; returns how many seats are taken. */
export function checkBackends(backends: BackendList): number {
  const taken: string[] = [];
  for (let seat = 0; seat < backends.length; seat++) {
    const key = backends[seat];
    if (key === undefined) continue;
    if (typeof key !== 'string') {
      throw new RangeError(`backends[${seat}] must be a string or undefined, got ${String(key)}`);
    }
    taken.push(key);
  }
  return checkDistinct('backends', taken).size;
}
