import { checkInteger, checkNonNegative, checkOneOf } from '../check.js';

/** What one client of a shared capacity asks for. */
export interface Claim {
  readonly wants: number;
  /**
   * What it was last granted and still holds: from one's own books or, while learning, from what it says. 0 unless
   * said.
   */
  readonly has?: number;
  /** How many it asks for, itself included: a server that passes leases on has many. 1 unless said. */
  readonly subclients?: number;
}

/**
 * Doorman's algorithms.
 * - `static`: each may have the whole capacity, so the sum may exceed it. It is a cap on each and not a division.
 * - `proportional`: an equal share each; what some leave of theirs goes to the others in proportion to what they lack.
 * - `fair`: max-min. What some leave is divided equally, so nobody gets more by asking for more.
 * - `learn`: what each has. For a coordinator that has just started and knows nobody: for one lease it leaves all as it is.
 */
export const ALLOCATION_ALGORITHMS = ['static', 'proportional', 'fair', 'learn'] as const;

/** How a limit is divided among those who want it. */
export type AllocationAlgorithm = (typeof ALLOCATION_ALGORITHMS)[number];

/** Far beyond any fleet, and small enough that the sums of a million claims stay exact. */
const MOST_SUBCLIENTS = 1_000_000_000;

type Shares = (capacity: number, claims: readonly Claim[]) => number[];

const SHARES: Readonly<Record<AllocationAlgorithm, Shares>> = Object.freeze({
  static: (capacity, claims) => claims.map(({ wants }) => Math.min(wants, capacity)),
  proportional: proportionalShares,
  fair: fairShares,
  // Nobody was ever granted more than all of it, or more than it wanted, whatever it says now.
  learn: (capacity, claims) => claims.map(({ wants, has = 0 }) => Math.min(has, wants, capacity)),
});

/**
 * Divides a capacity among all claims at once, grants in the order of the claims. Nobody gets more than it wants.
 * Proportional and fair grants add up to the capacity or to all that is wanted, whichever is less (to rounding).
 */
export function allocate(
  algorithm: AllocationAlgorithm,
  capacity: number,
  claims: readonly Claim[],
): number[] {
  checkOneOf('algorithm', algorithm, ALLOCATION_ALGORITHMS);
  checkNonNegative('capacity', capacity);
  for (const { wants, has = 0, subclients = 1 } of claims) {
    checkNonNegative('wants', wants);
    checkNonNegative('has', has);
    checkInteger('subclients', subclients, 1, MOST_SUBCLIENTS);
  }
  return SHARES[algorithm](capacity, claims);
}

/**
 * The grant of one client that asks now, while the others keep what they have until they ask themselves. Its share is
 * that of `allocate`, but what others still hold cannot be given twice: it gets at most capacity − Σhas + its own. If
 * all ask in turn, their sum never exceeds the capacity on the way, and after two rounds each has its share.
 */
export function grant(
  algorithm: AllocationAlgorithm,
  capacity: number,
  claims: readonly Claim[],
  asking: number,
): number {
  checkInteger('asking', asking, 0, claims.length - 1);
  const share = allocate(algorithm, capacity, claims)[asking]!;
  if (algorithm === 'static' || algorithm === 'learn') return share;
  let free = capacity;
  for (let index = 0; index < claims.length; index++) {
    if (index !== asking) free -= claims[index]!.has ?? 0;
  }
  return Math.max(0, Math.min(share, free));
}

function proportionalShares(capacity: number, claims: readonly Claim[]): number[] {
  const total = sumOf(claims, subclientsOf);
  const equalShare = (claim: Claim) => capacity * (subclientsOf(claim) / total);
  const slack = sumOf(claims, (claim) => Math.max(0, equalShare(claim) - claim.wants));
  const excess = sumOf(claims, (claim) => Math.max(0, claim.wants - equalShare(claim)));
  return claims.map((claim) => {
    const equal = equalShare(claim);
    if (claim.wants <= equal) return claim.wants;
    // More slack than excess: there is enough for all.
    return Math.min(claim.wants, equal + (claim.wants - equal) * (slack / excess));
  });
}

/**
 * Those who want least for each subclient come first. Each gets what it wants, or an equal share of what is left if
 * that is less; from the first who gets less than it wants, all get that same share. A grant is never more than
 * wanted, which Doorman's own code does not see to (capacity 100, wants 2, 47, 26, 8: it gives 64 to the second).
 */
function fairShares(capacity: number, claims: readonly Claim[]): number[] {
  const modestFirst = claims.map((_, index) => index);
  const modesty = ({ wants, subclients = 1 }: Claim) => wants / subclients;
  modestFirst.sort((a, b) => modesty(claims[a]!) - modesty(claims[b]!));
  const grants = new Array<number>(claims.length).fill(0);
  let left = capacity;
  let subclientsLeft = sumOf(claims, subclientsOf);
  for (const index of modestFirst) {
    const claim = claims[index]!;
    const equal = left * (subclientsOf(claim) / subclientsLeft);
    const granted = Math.min(claim.wants, equal);
    grants[index] = granted;
    left -= granted;
    subclientsLeft -= subclientsOf(claim);
  }
  return grants;
}

function subclientsOf({ subclients = 1 }: Claim): number {
  return subclients;
}

function sumOf(claims: readonly Claim[], value: (claim: Claim) => number): number {
  return claims.reduce((sum, claim) => sum + value(claim), 0);
}
