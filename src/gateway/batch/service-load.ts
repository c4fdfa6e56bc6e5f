import type { ClientSnapshot } from '../../client/index.js';

/**
 * How full a service is by what its backends say, on average over those that take requests; undefined when none of them
 * says anything.
 */
export function utilizationOf({ backends }: Pick<ClientSnapshot, 'backends'>): number | undefined {
  let sum = 0;
  let count = 0;
  for (const { state, report } of backends) {
    if (state !== 'ready' || report === undefined) continue;
    const { applicationUtilization, cpuUtilization } = report;
    // 0 means that it is not known (gRFC A58).
    const utilization = (applicationUtilization ?? 0) > 0 ? applicationUtilization : cpuUtilization;
    if (utilization === undefined) continue;
    sum += utilization;
    count++;
  }
  return count === 0 ? undefined : sum / count;
}

/** The highest of what is known; undefined when nothing is. Whoever throws does not know. */
export function fullestOf(
  sources: readonly (() => number | undefined)[],
  onError: (error: unknown) => void,
): number | undefined {
  let fullest: number | undefined;
  for (const source of sources) {
    try {
      const utilization = source();
      if (utilization !== undefined && utilization >= (fullest ?? 0)) fullest = utilization;
    } catch (error) {
      onError(error);
    }
  }
  return fullest;
}
