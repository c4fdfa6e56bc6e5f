import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import {
  foldersOf,
  type GroupMembership,
  type GroupMount,
  parseBytes,
  parseCfs,
  parseCpuMax,
  parseMemberships,
  parseMounts,
} from './cgroup-files.js';

/** What the control groups around this process allow; undefined where they set no limit. */
export interface CgroupLimits {
  readonly processors: number | undefined;
  readonly memoryBytes: number | undefined;
}

/** What this process can use at the most: its groups' limits, or all that the machine has. */
export interface ProcessLimits {
  /** Half of one is possible. */
  readonly processors: number;
  readonly memoryBytes: number;
}

/** The text of a file; undefined when it cannot be read. */
export type ReadText = (path: string) => string | undefined;

/** Reads files as they are below a folder: '/' for this machine. */
export function filesBelow(root: string): ReadText {
  return (path) => {
    try {
      return readFileSync(join(root, path), 'utf8');
    } catch {
      // Not Linux, a group without that controller, no right to look: no limit is known.
      return undefined;
    }
  };
}

/**
 * The lowest limits on the way from the process's own group to the topmost one that can be seen. libuv, and so Node's
 * `process.constrainedMemory()`, looks at the own group only (libuv 3744): with a limit on the pod and none on its
 * container, as Kubernetes sets them, it finds none.
 */
export function readCgroupLimits(readText: ReadText = filesBelow('/')): CgroupLimits {
  const memberships = parseMemberships(readText('/proc/self/cgroup') ?? '');
  const mounts = parseMounts(readText('/proc/self/mountinfo') ?? '');
  let processors: number | undefined;
  let memoryBytes: number | undefined;
  for (const mount of mounts) {
    for (const folder of groupFolders(mount, memberships)) {
      processors = lower(processors, quotaIn(mount, folder, readText));
      memoryBytes = lower(memoryBytes, memoryIn(mount, folder, readText));
    }
  }
  return { processors, memoryBytes };
}

function groupFolders(mount: GroupMount, memberships: readonly GroupMembership[]): string[] {
  const membership = memberships.find(({ controllers }) =>
    mount.version === 2
      ? controllers.length === 0
      : controllers.some((controller) => mount.controllers.includes(controller)),
  );
  return membership === undefined ? [] : foldersOf(mount, membership.path);
}

function quotaIn(mount: GroupMount, folder: string, readText: ReadText): number | undefined {
  if (mount.version === 2) return parseCpuMax(readText(`${folder}/cpu.max`) ?? '');
  if (!mount.controllers.includes('cpu')) return undefined;
  const quota = readText(`${folder}/cpu.cfs_quota_us`) ?? '';
  return parseCfs(quota, readText(`${folder}/cpu.cfs_period_us`) ?? '');
}

function memoryIn(mount: GroupMount, folder: string, readText: ReadText): number | undefined {
  if (mount.version === 2) {
    // Above `high` nothing is killed, but every allocation is slowed down until the group is below it again.
    const high = parseBytes(readText(`${folder}/memory.high`) ?? '');
    return lower(high, parseBytes(readText(`${folder}/memory.max`) ?? ''));
  }
  if (!mount.controllers.includes('memory')) return undefined;
  return parseBytes(readText(`${folder}/memory.limit_in_bytes`) ?? '');
}

function lower(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}

/** The machine is the outermost group: a limit beyond it is none. */
export function readProcessLimits(
  limits: CgroupLimits = readCgroupLimits(),
  machine: ProcessLimits = { processors: availableParallelism(), memoryBytes: totalmem() },
): ProcessLimits {
  return {
    processors: Math.min(limits.processors ?? Number.POSITIVE_INFINITY, machine.processors),
    memoryBytes: Math.min(limits.memoryBytes ?? Number.POSITIVE_INFINITY, machine.memoryBytes),
  };
}
