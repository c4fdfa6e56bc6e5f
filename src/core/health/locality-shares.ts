import { checkInteger, checkNonNegative, checkPositive, checkWithin, withDefaults } from '../check.js';

/** What a zone or datacenter has to serve with. */
export interface LocalityHealth {
  /** 0 is nearest. Localities at the same distance are one level: equally good. */
  readonly distance: number;
  /** Its part of its level's traffic, relative to the others there. By default its number of backends: an equal part each. */
  readonly weight?: number;
  /** How many of its backends may be sent to … */
  readonly healthy: number;
  /** … of how many. */
  readonly total: number;
}

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

export interface AllowanceOptions {
  /** Up to this utilization a locality is filled before the next one is used. */
  readonly targetUtilization: number;
  /** However busy a locality is, its allowance does not fall below this part of the traffic. */
  readonly probeShare: number;
  /** Half of the way down to an allowance that fits is gone in this time. */
  readonly fallMs: number;
  /** An allowance at most doubles in this time. */
  readonly growMs: number;
}

/**
 * How large a part of the traffic a locality may take next, from what it took and how busy that made it. Utilization is
 * taken to grow in proportion to what is sent: `taken` gave `utilization`, so taken · target / utilization would have
 * given the target. If others send there too and do the same, all give way in the same proportion.
 *
 * Too busy: half of the way (in ratios) to what fits for each fallMs, starting from what was really taken when that was
 * less than allowed. Not too busy: growth by target / utilization for each growMs, at most doubling; never a fall,
 * because little traffic on an idle locality would "fit" only little. From a probe share of 3 % the way back to 1 takes
 * at most log2(1 / 0.03) = 5.06 · growMs = 20 s, as long as it is less than half as busy as its target.
 */
export function nextAllowance(
  allowance: number,
  utilization: number | undefined,
  taken: number,
  sinceMs: number,
  options: AllowanceOptions,
): number {
  const { targetUtilization, probeShare, fallMs, growMs } = options;
  if (utilization === undefined || utilization === targetUtilization) return allowance;
  const ratio = targetUtilization / utilization;
  if (ratio > 1) return Math.min(1, allowance * Math.min(2, ratio) ** (sinceMs / growMs));
  const from = Math.min(allowance, taken);
  const fitting = Math.min(from, taken * ratio);
  const gain = 1 - 0.5 ** (sinceMs / fallMs);
  return Math.max(probeShare, from * (fitting / from) ** gain);
}

export interface LocalityLoad {
  /** How many of its backends may be sent to. */
  readonly healthy: number;
  /** Mean of what they report, 1 = full; undefined when nothing has been heard from them. */
  readonly utilization: number | undefined;
  /** Where the client is itself. */
  readonly isLocal: boolean;
}

export interface LoadAwareOptions {
  /** The local backends may be this much busier than the remote ones before traffic leaves. */
  readonly tolerance: number;
  /** This part of the traffic goes to other localities in any case, so that their load is heard of. */
  readonly probeShare: number;
}

export const LOAD_AWARE_DEFAULTS: LoadAwareOptions = Object.freeze({
  // Envoy's utilization_variance_threshold: below the noise of utilization measured over a second, a detour buys nothing.
  tolerance: 0.1,
  // Envoy's remote_probe_fraction: at 100 requests/s three answers a second bring a report, for 3 % with a longer way.
  probeShare: 0.03,
});

/**
 * Shares by spare capacity (Envoy's load-aware locality policy), for localities that are near enough to be used freely:
 *
 * - All traffic stays local while the local utilization is at most the remote mean plus `tolerance`. Means are over
 *   healthy backends of localities that have been heard of.
 * - Else each locality's share is proportional to healthy · max(0, 1 − utilization); to `healthy` alone when all are full.
 * - `probeShare` of the traffic is set apart first, and split by `healthy` over the remote localities; over all of
 *   them when traffic is leaving, so that a full one is heard of as it recovers.
 * - Utilization not known: nothing speaks against local ones, so traffic stays; nor for remote ones, so it does not
 *   leave because of them. When it leaves because of others, they count with the mean of the known (as in gRFC A58).
 *
 * It has no memory: feed it utilization that is smoothed over several seconds, or the shares swing with the reports.
 */
export function loadAwareShares(
  localities: readonly LocalityLoad[],
  given?: Partial<LoadAwareOptions>,
): number[] {
  const options = withDefaults('loadAware', LOAD_AWARE_DEFAULTS, given);
  checkNonNegative('tolerance', options.tolerance);
  checkWithin('probeShare', options.probeShare, 0, 1);
  for (const { healthy, utilization } of localities) {
    checkInteger('healthy', healthy, 0);
    if (utilization !== undefined) checkNonNegative('utilization', utilization);
  }
  const local = meanUtilization(localities.filter((locality) => locality.isLocal));
  const remote = meanUtilization(localities.filter((locality) => !locality.isLocal));
  const canStay = localities.some((locality) => locality.isLocal && locality.healthy > 0);
  const isLeaving = !canStay || (local ?? 0) > (remote ?? Number.POSITIVE_INFINITY) + options.tolerance;

  const known = meanUtilization(localities) ?? 0;
  const spare = ({ healthy, utilization = known }: LocalityLoad) => healthy * Math.max(0, 1 - utilization);
  const byHealthy = proportional(localities.map(({ healthy }) => healthy));
  const bySpare = proportional(localities.map(spare)) ?? byHealthy;
  const localOnly = proportional(localities.map(({ healthy, isLocal }) => (isLocal ? healthy : 0)));
  const remoteOnly = proportional(localities.map(({ healthy, isLocal }) => (isLocal ? 0 : healthy)));
  const main = isLeaving ? bySpare : localOnly;
  const probes = isLeaving ? byHealthy : (remoteOnly ?? localOnly);
  return localities.map(
    (_, index) =>
      (1 - options.probeShare) * (main?.[index] ?? 0) + options.probeShare * (probes?.[index] ?? 0),
  );
}

export function checkLocality({ distance, weight, healthy, total }: LocalityHealth): void {
  checkNonNegative('distance', distance);
  if (weight !== undefined) checkNonNegative('weight', weight);
  checkInteger('total', total, 0);
  checkInteger('healthy', healthy, 0, total);
}

/** Over the healthy backends of those that have been heard of; undefined when there are none. */
function meanUtilization(localities: readonly LocalityLoad[]): number | undefined {
  const heard = localities.filter(({ healthy, utilization }) => healthy > 0 && utilization !== undefined);
  if (heard.length === 0) return undefined;
  const used = sumOf(heard.map(({ healthy, utilization }) => healthy * (utilization as number)));
  return used / sumOf(heard.map(({ healthy }) => healthy));
}

/** Each one's part of the whole; undefined when there is nothing to divide. */
function proportional(amounts: readonly number[]): number[] | undefined {
  const whole = sumOf(amounts);
  return whole === 0 ? undefined : amounts.map((amount) => amount / whole);
}

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
