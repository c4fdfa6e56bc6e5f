import { checkInteger, checkNonNegative, checkPositive, withDefaults } from '../../check.js';

/** What a zone or datacenter has to serve with. */
export interface LocalityHealth {
  /** 0 is nearest. Localities at the same distance are one level: equally good. */
  readonly distance: number;
  /**
   * Its part of its level's traffic, relative to the others there. By default its number of backends: an equal part
   * each.
   */
  readonly weight?: number;
  /** How many of its backends may be sent to … */
  readonly healthy: number;
  /** … of how many. */
  readonly total: number;
}

/** From when on a locality that has lost backends gives away traffic. */
export interface HealthShareOptions {
  /** How much more than its part a healthy backend can carry for those that are not. */
  readonly overprovisioning: number;
}

export const HEALTH_SHARE_DEFAULTS: HealthShareOptions = Object.freeze({
  // Envoy's factor. Traffic stays near until 1/1.4 = 71 % of the backends are left, each then carrying 1.4 times its
  // part: a service provisioned for 71 % utilization at its peak is then at 100 %.
  overprovisioning: 1.4,
});

/** The localities' indices, nearest level first, within a level as given. */
export function byLevel(localities: readonly { readonly distance: number }[]): number[][] {
  const levels = new Map<number, number[]>();
  localities.forEach(({ distance }, index) => {
    const level = levels.get(distance);
    if (level === undefined) levels.set(distance, [index]);
    else level.push(index);
  });
  return [...levels].sort(([a], [b]) => a - b).map(([, level]) => level);
}

/** How much of its full traffic so many of its backends can carry, from 0 to 1. */
function healthOf(healthy: number, total: number, overprovisioning: number): number {
  return total === 0 ? 0 : Math.min(1, (overprovisioning * healthy) / total);
}

/** A locality's weight within its level, less what its unhealthy backends cannot carry. */
export function effectiveWeight(locality: LocalityHealth, overprovisioning: number): number {
  const { healthy, total, weight = total } = locality;
  return weight * healthOf(healthy, total, overprovisioning);
}

/**
 * Envoy's priority levels and locality weights, as shares of the traffic: the nearest level takes as much as its health
 * allows, the next of what is left as much as *its* health allows, and so on. What all levels together cannot carry
 * is theirs nevertheless, in proportion. The shares sum to 1, or are all 0 when nothing is healthy. A locality of
 * weight 0 takes no part at all.
 */
export function healthShares(
  localities: readonly LocalityHealth[],
  given?: Partial<HealthShareOptions>,
): number[] {
  const { overprovisioning } = withDefaults('healthShares', HEALTH_SHARE_DEFAULTS, given);
  checkPositive('overprovisioning', overprovisioning);
  for (const locality of localities) checkLocality(locality);
  const weights = localities.map((locality) => effectiveWeight(locality, overprovisioning));
  const shares = new Array<number>(localities.length).fill(0);
  let left = 1;
  for (const level of byLevel(localities)) {
    const members = level.filter((index) => localities[index]!.weight !== 0);
    const healthy = sumOf(members.map((index) => localities[index]!.healthy));
    const total = sumOf(members.map((index) => localities[index]!.total));
    const taken = Math.min(left, healthOf(healthy, total, overprovisioning));
    const levelWeight = sumOf(members.map((index) => weights[index]!));
    for (const index of members) if (taken > 0) shares[index] = (taken * weights[index]!) / levelWeight;
    left -= taken;
  }
  const carried = sumOf(shares);
  return carried === 0 ? shares : shares.map((share) => share / carried);
}

/** Below this a share is rounding. */
const ROUNDING = 1e-12;

/**
 * Adds `excess` to the shares of those below their limits: nearest level first, within a level by weight, so that no
 * one is passed over for one farther away. Returns what found no room.
 */
export function spill(
  excess: number,
  shares: number[],
  limits: readonly number[],
  weights: readonly number[],
  levels: readonly (readonly number[])[],
): number {
  const room = (index: number) => limits[index]! - shares[index]!;
  let left = excess;
  for (const level of levels) {
    let open = level.filter((index) => weights[index]! > 0 && room(index) > 0);
    // Each round fills at least one of them, or places all that is left.
    while (open.length > 0 && left > ROUNDING) {
      const perWeight = left / sumOf(open.map((index) => weights[index]!));
      const filled = open.filter((index) => perWeight * weights[index]! >= room(index));
      for (const index of filled.length > 0 ? filled : open) {
        const part = Math.min(perWeight * weights[index]!, room(index));
        shares[index]! += part;
        left -= part;
      }
      open = open.filter((index) => !filled.includes(index));
    }
  }
  return left > ROUNDING ? left : 0;
}

export function checkLocality({ distance, weight, healthy, total }: LocalityHealth): void {
  checkNonNegative('distance', distance);
  if (weight !== undefined) checkNonNegative('weight', weight);
  checkInteger('total', total, 0);
  checkInteger('healthy', healthy, 0, total);
}

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
