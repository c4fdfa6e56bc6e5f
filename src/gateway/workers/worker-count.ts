import { type ProcessLimits, readProcessLimits } from '../../server/signals/cgroup.js';

/** As settings have it. */
const MOST = 256;

/**
 * How many processes serve. `auto`: one for each core that this process may use. Of one and a half, one: two would be
 * stopped by the kernel for a quarter of the time, both at once.
 */
export function workerCountOf(
  setting: number | 'auto',
  limits: () => Pick<ProcessLimits, 'processors'> = readProcessLimits,
): number {
  if (setting !== 'auto') return setting;
  return Math.min(MOST, Math.max(1, Math.floor(limits().processors)));
}
