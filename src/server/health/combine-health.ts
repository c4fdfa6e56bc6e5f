import type { GateState, LoadReport } from '../../core/index.js';
import type { Health } from '../../wire/index.js';

/** What a port with several workers behind it is: as good as its best. With nobody there yet it is starting. */
export function combineStates(states: readonly GateState[]): GateState {
  if (states.includes('ready')) return 'ready';
  // Some go and some come, and none is ready: what will be is nearer than what was.
  if (states.length === 0 || states.includes('starting')) return 'starting';
  return states.includes('lame-duck') ? 'lame-duck' : 'closed';
}

/**
 * One report for all workers. What is counted adds up; utilization is the mean, since connections are spread evenly;
 * latency is the median, since one worker that hangs is not what most requests meet.
 */
export function combineReports(reports: readonly LoadReport[]): LoadReport {
  const all = (name: keyof LoadReport) => reports.flatMap((report) => report[name] ?? []);
  return defined({
    cpuUtilization: mean(all('cpuUtilization')),
    applicationUtilization: mean(all('applicationUtilization')),
    requestsPerSecond: sum(all('requestsPerSecond')),
    errorsPerSecond: sum(all('errorsPerSecond')),
    inFlight: sum(all('inFlight')),
    latencyMs: median(all('latencyMs')),
  });
}

/** Both. */
export function combineHealth(workers: readonly Health[]): Health {
  return {
    state: combineStates(workers.map(({ state }) => state)),
    report: combineReports(workers.map(({ report }) => report)),
  };
}

function defined(values: { readonly [name in keyof LoadReport]: number | undefined }): LoadReport {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function sum(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number | undefined {
  const total = sum(values);
  return total === undefined ? undefined : total / values.length;
}

/** Of an even number the lower one. */
function median(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[(values.length - 1) >> 1];
}
