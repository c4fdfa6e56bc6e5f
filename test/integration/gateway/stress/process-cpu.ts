import { readFileSync } from 'node:fs';

/** A hundred a second, on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** User and system time of a process. */
export function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1_000;
}
