import { checkInteger, checkOneOf } from '../check.js';
import { type BackendList, checkBackends } from './check-backends.js';
import { deterministicOrder } from './deterministic-order.js';
import { randomOrder } from './random-order.js';
import { rocksteadierOrder } from './rocksteadier-order.js';

const ALGORITHMS = ['random', 'deterministic', 'rocksteadier'] as const;

/** How a subset is chosen. */
export type SubsettingAlgorithm = (typeof ALGORITHMS)[number];

/** Whose subset, of which size, chosen how. */
export interface SubsettingOptions {
  /** How it is chosen: what each promises is in docs/policies/subsetting.md. */
  algorithm: SubsettingAlgorithm;
  /** Backends that a client uses. */
  size: number;
  /** Small and without gaps (0 … clients − 1) for 'deterministic' and 'rocksteadier', whose balance rests on it. */
  clientId: number;
  /** The same for all clients; another one gives other subsets. Default 0. */
  seed?: number;
}

/** Checks all but the upper bound of the size, which depends on the backends. */
export function checkSubsetting(options: SubsettingOptions): Required<SubsettingOptions> {
  return {
    algorithm: checkOneOf('algorithm', options.algorithm, ALGORITHMS),
    size: checkInteger('size', options.size, 1),
    clientId: checkInteger('clientId', options.clientId, 0),
    seed: checkInteger('seed', options.seed ?? 0, 0, 0xffff_ffff),
  };
}

/**
 * All backends, as seats in the list, in the order in which one client prefers them. The subset is the first `size`
 * of them; those that follow stand in, in turn, for members that are down.
 */
export function subsetOrder(backendCount: number, options: SubsettingOptions): Uint32Array {
  const checked = checkSubsetting(options);
  checkInteger('backendCount', backendCount, 1);
  checkInteger('size', checked.size, 1, backendCount);
  return orderSeats(backendCount, checked);
}

/** One client's subset of a list that stands still; a `Subset` follows one that changes. */
export function chooseSubset(backends: BackendList, options: SubsettingOptions): string[] {
  const checked = checkSubsetting(options);
  const takenCount = checkInteger('number of backends', checkBackends(backends), 1);
  checkInteger('size', checked.size, 1, takenCount);
  return firstKeys(backends, orderSeats(backends.length, checked), checked.size);
}

/** `subsetOrder` of checked arguments, for those that ask for many. */
export function orderSeats(backendCount: number, checked: Required<SubsettingOptions>): Uint32Array {
  const { algorithm, size, clientId, seed } = checked;
  switch (algorithm) {
    case 'random':
      return randomOrder(backendCount, clientId, seed);
    case 'deterministic':
      return deterministicOrder(backendCount, size, clientId, seed);
    case 'rocksteadier':
      return rocksteadierOrder(backendCount, clientId, seed);
  }
}

/** The first `size` backends in an order of seats; vacant seats and those in `without` are passed over. */
export function firstKeys(
  backends: BackendList,
  order: Uint32Array,
  size: number,
  without?: ReadonlySet<string>,
): string[] {
  const keys: string[] = [];
  for (let step = 0; step < order.length && keys.length < size; step++) {
    const key = backends[order[step]!];
    if (key !== undefined && !without?.has(key)) keys.push(key);
  }
  return keys;
}
