/** CPU-ms used so far, right to some microseconds, and read in one. */
export type SliceCpu = () => number;

interface CpuUsages {
  cpuUsage(): NodeJS.CpuUsage;
  threadCpuUsage?(): NodeJS.CpuUsage;
}

/** So many readings take about 90 µs. A clock that counts ticks moves once in that time, or not at all. */
const READINGS = 100;
const LEAST_MOVES = 5;

/**
 * Of this thread where Node knows it (≥ 23.9), else of the whole process: Linux has it of a thread in /proc, but it lags by
 * up to a tick while that runs. Undefined where readings come in ticks (Windows, gVisor): most slices would seem to take
 * nothing.
 */
export function createSliceCpu(proc: CpuUsages = process as CpuUsages): SliceCpu | undefined {
  const read = () => {
    const { user, system } = proc.threadCpuUsage?.() ?? proc.cpuUsage();
    return (user + system) / 1_000;
  };
  let moves = 0;
  let last = read();
  for (let reading = 0; reading < READINGS; reading++) {
    const next = read();
    if (next > last) moves++;
    last = next;
  }
  return moves >= LEAST_MOVES ? read : undefined;
}
