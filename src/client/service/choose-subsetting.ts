import type { Random, SubsettingOptions } from '../../core/index.js';
import { clientIdOf } from '../client-id.js';
import type { SubsetOptions } from '../client-options.js';

export interface Subsetting {
  /** Undefined: all backends. */
  readonly options: SubsettingOptions | undefined;
  readonly seats: 'sorted' | 'hashed';
  /** Nobody has said which client this is: balance is then a matter of chance. */
  readonly isAnonymous: boolean;
}

/** `isFixed`: the list of backends does not change. Random subsets need no numbered clients; the others are even only with them. */
export function chooseSubsetting(
  subset: SubsetOptions | undefined,
  given: number | undefined,
  random: Random,
  isFixed: boolean,
): Subsetting {
  if (subset === undefined) return { options: undefined, seats: 'sorted', isAnonymous: false };
  const { size, seed, algorithm } = subset;
  const seats = subset.seats ?? (isFixed || algorithm === 'deterministic' ? 'sorted' : 'hashed');
  const clientId = given ?? clientIdOf(process.env);
  if (clientId !== undefined)
    return {
      options: { size, seed, clientId, algorithm: algorithm ?? 'rocksteadier' },
      seats,
      isAnonymous: false,
    };
  if (algorithm !== undefined && algorithm !== 'random')
    throw new RangeError(
      `${algorithm} subsets need a clientId (small numbers without gaps), or PLIMSOLL_CLIENT_ID in the environment`,
    );
  const anyone = Math.floor(random() * 0x7fff_ffff);
  return {
    options: { size, seed, clientId: anyone, algorithm: 'random' },
    seats,
    isAnonymous: algorithm === undefined,
  };
}

let isWarned = false;

/** Once, and only where it matters: with all backends in the subset there is nothing to balance. */
export function warnOfAnonymity(size: number, backends: number): void {
  if (isWarned) return;
  isWarned = true;
  process.emitWarning(
    `${size} of ${backends} backends are chosen at random, since this client has no id; load is more even with ` +
      '`clientId` or PLIMSOLL_CLIENT_ID (0, 1, 2 … over all clients)',
    { type: 'PlimsollWarning', code: 'PLIMSOLL_NO_CLIENT_ID' },
  );
}
