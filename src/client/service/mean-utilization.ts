import type { ConnectionState, LoadReport } from '../../core/index.js';

interface Reporting {
  readonly connection: ConnectionState;
  readonly report: LoadReport | undefined;
}

/** Of those that are ready; undefined when none says. */
export function meanUtilization(backends: Iterable<Reporting>): number | undefined {
  let sum = 0;
  let count = 0;
  for (const { connection, report } of backends) {
    const utilization = report?.applicationUtilization ?? report?.cpuUtilization;
    if (connection !== 'ready' || utilization === undefined) continue;
    sum += utilization;
    count++;
  }
  return count === 0 ? undefined : sum / count;
}
