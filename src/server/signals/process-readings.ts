import { existsSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { isMainThread } from 'node:worker_threads';
import { type ProcessLimits, readProcessLimits } from './cgroup.js';
import type { LoopTime } from './event-loop-load.js';
import type { MemoryUse } from './memory.js';

/** On Linux: nanoseconds on a processor, nanoseconds ready to run and without one, and how often it ran. */
const SCHEDULE = '/proc/self/schedstat';
const HAS_SCHEDULE = existsSync(SCHEDULE);

/** What the process tells of itself: the samplers' one seam to it. Any of these may throw. */
export interface ProcessReadings {
  monotonicMs(): number;
  /** CPU time since the process began, all threads. */
  cpuMs(): number;
  loopTime(): LoopTime;
  /** For how long the thread of the event loop could have run, and others had its processor; undefined: not known here. */
  heldUpMs?(): number | undefined;
  heap(): MemoryUse;
  residentBytes(): number;
  limits(): ProcessLimits;
}

/** Of this process. Beside each what it takes on Node 20 and 24; Linux, one core of a small virtual machine. */
export const PROCESS_READINGS: ProcessReadings = Object.freeze({
  monotonicMs: () => performance.now(),
  // 0.5–0.8 µs
  cpuMs: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  // 0.1–0.3 µs
  loopTime: () => performance.eventLoopUtilization(),
  // 8–10 µs: a file of /proc, which is the main thread's.
  heldUpMs: () => {
    if (!isMainThread || !HAS_SCHEDULE) return undefined;
    return Number(readFileSync(SCHEDULE, 'latin1').split(' ')[1]) / 1e6;
  },
  // 0.3–0.4 µs. process.memoryUsage() tells the same and takes 4, as it reads the resident set with it.
  heap: () => {
    const { used_heap_size: usedBytes, heap_size_limit: limitBytes } = getHeapStatistics();
    return { usedBytes, limitBytes };
  },
  // 3.3–4.4 µs: a file of /proc is opened, which fails when all file descriptors are in use.
  residentBytes: () => process.memoryUsage.rss(),
  // 0.1–0.3 ms: some twenty small files.
  limits: () => readProcessLimits(),
});
