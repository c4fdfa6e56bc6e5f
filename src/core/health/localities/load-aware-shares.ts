import { checkInteger, checkNonNegative, checkWithin, withDefaults } from '../../check.js';
import { sumOf } from './health-shares.js';

/** How many backends a locality has, and how full they are. */
export interface LocalityLoad {
  readonly healthy: number;
  /** Mean of what they report, 1 = full; undefined when nothing has been heard from them. */
  readonly utilization: number | undefined;
  readonly isLocal: boolean;
}

/** How much busier one may be at home before traffic leaves. */
export interface LoadAwareOptions {
  /** The local backends may be this much busier than the remote ones before traffic leaves. */
  readonly tolerance: number;
  /** This part of the traffic goes to other localities in any case, so that their load is heard of. */
  readonly probeShare: number;
}

export const LOAD_AWARE_DEFAULTS: LoadAwareOptions = Object.freeze({
  // Envoy's utilization_variance_threshold: below the noise of utilization measured over a second, a detour buys
  // nothing.
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
