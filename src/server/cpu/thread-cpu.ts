import { closeSync, openSync, readSync } from 'node:fs';

/** CPU-ms that the calling thread has used since it began; undefined where nobody can tell. */
export type ThreadCpu = () => number | undefined;

interface WithThreadCpu {
  threadCpuUsage?(): NodeJS.CpuUsage;
}

/** Found by feature: Node ≥ 23.9 knows it, before that Linux does. */
export function createThreadCpu(
  proc: WithThreadCpu = process as WithThreadCpu,
  path = '/proc/thread-self/schedstat',
): ThreadCpu {
  if (proc.threadCpuUsage !== undefined) {
    return () => {
      const { user, system } = proc.threadCpuUsage!();
      return (user + system) / 1_000;
    };
  }
  return () => readSchedstat(path);
}

const buffer = Buffer.alloc(128);

/** Its first number is nanoseconds on a processor. Some kernels leave it out, or leave it 0. */
function readSchedstat(path: string): number | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return undefined;
  }
  try {
    const text = buffer.toString('latin1', 0, readSync(file, buffer));
    const nanoseconds = Number(/^\d+(?= )/.exec(text)?.[0]);
    return nanoseconds > 0 ? nanoseconds / 1e6 : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}
