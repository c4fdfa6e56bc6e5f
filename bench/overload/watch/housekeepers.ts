import { readdirSync, readFileSync } from 'node:fs';

/**
 * Threads of the kernel that look after memory by the clock, whatever the processes do: who watches which of it is used (DAMON:
 * 5 ms each half second, on a machine of 24 GB), who moves it together, who looks for large or equal pages. Not those that work
 * for processes, such as for their network: that is part of what a server costs.
 */
const NAMES = /^(kdamond|kcompactd|khugepaged|ksmd)/;

/** Their numbers; none where the system does not show them. */
export function housekeepers(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isHousekeeper(name));
  } catch {
    return [];
  }
}

function isHousekeeper(pid: string): boolean {
  try {
    // A program may have any name, but only the kernel's threads have no command line.
    return (
      NAMES.test(readFileSync(`/proc/${pid}/comm`, 'utf8')) &&
      readFileSync(`/proc/${pid}/cmdline`, 'utf8') === ''
    );
  } catch {
    return false;
  }
}
