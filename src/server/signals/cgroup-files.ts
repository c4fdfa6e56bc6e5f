/**
 * What the kernel writes about control groups, as text in and numbers out (cgroups(7), proc(5), the kernel's cgroup-v2
 * document). What is not understood sets no limit: a guard that takes half a line for a quota of nothing refuses
 * everything.
 */

/** In which group a process is, in one hierarchy. */
export interface GroupMembership {
  /** Controllers of a v1 hierarchy, none for the one of v2. */
  readonly controllers: readonly string[];
  readonly path: string;
}

/** Where a hierarchy can be seen. */
export interface GroupMount {
  readonly version: 1 | 2;
  readonly controllers: readonly string[];
  /** The group that the mount point shows: not the topmost one in most containers. */
  readonly root: string;
  readonly point: string;
}

/** `/proc/self/cgroup`: lines of `id:controllers:path`. */
export function parseMemberships(text: string): GroupMembership[] {
  return text.split('\n').flatMap((line) => {
    // A path may have colons in it.
    const match = /^\d+:([^:]*):(\/.*)$/.exec(line);
    if (match === null) return [];
    return [{ controllers: match[1] === '' ? [] : match[1]!.split(','), path: match[2]! }];
  });
}

/** `/proc/self/mountinfo`, the lines that are of control groups. */
export function parseMounts(text: string): GroupMount[] {
  return text.split('\n').flatMap((line) => {
    // Optional fields end with a lone hyphen; behind it are the kind, the source and the options of the file system.
    const [place, kind] = line.split(' - ');
    const [, , , root, point] = place!.split(' ');
    const [type, , options] = (kind ?? '').split(' ');
    if (root === undefined || point === undefined) return [];
    if (type !== 'cgroup' && type !== 'cgroup2') return [];
    const controllers = type === 'cgroup' ? (options ?? '').split(',') : [];
    const version = type === 'cgroup' ? 1 : 2;
    return [{ version, controllers, root: unescaped(root), point: unescaped(point) }];
  });
}

/** Spaces, tabs, newlines and backslashes are written as three octal digits there. */
function unescaped(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

/**
 * Folders that may hold a limit of the group, its own first, then those around it as far up as the mount shows. A
 * process is bound by all of them.
 */
export function foldersOf(mount: GroupMount, path: string): string[] {
  const below = pathBelow(mount.root, path);
  const names = below.split('/').filter((name) => name !== '');
  // Outside of what its namespace shows, the path goes up first: then only the mount point itself tells anything.
  if (names.includes('..')) names.length = 0;
  const point = mount.point === '/' ? '' : mount.point;
  const folders: string[] = [];
  for (let depth = names.length; depth >= 0; depth--) {
    folders.push([point, ...names.slice(0, depth)].join('/'));
  }
  return folders;
}

/**
 * A container often has its own group mounted as if it were the topmost one, while the path is still told as the host
 * sees it: what the mount starts from is taken off.
 */
function pathBelow(root: string, path: string): string {
  if (root === '/') return path;
  return path.startsWith(`${root}/`) ? path.slice(root.length) : '/';
}

/** `cpu.max` (v2): "quota period" in microseconds, or "max period". */
export function parseCpuMax(text: string): number | undefined {
  const [quota, period] = text.trim().split(/\s+/);
  // The kernel's own period when none is written.
  return processorsOf(quota!, period ?? '100000');
}

/** `cpu.cfs_quota_us` and `cpu.cfs_period_us` (v1); a quota of -1 is none. */
export function parseCfs(quota: string, period: string): number | undefined {
  return processorsOf(quota.trim(), period.trim());
}

function processorsOf(quota: string, period: string): number | undefined {
  const quotaUs = positiveInteger(quota);
  const periodUs = positiveInteger(period);
  return quotaUs === undefined || periodUs === undefined ? undefined : quotaUs / periodUs;
}

/**
 * `memory.max`, `memory.high` (v2) and `memory.limit_in_bytes` (v1). No limit is "max", and in v1 the largest number of
 * pages, some 2^63 bytes.
 */
export function parseBytes(text: string): number | undefined {
  return positiveInteger(text.trim());
}

/** Digits that make a number > 0 which is exact. */
function positiveInteger(text: string): number | undefined {
  if (!/^\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value > 0 && Number.isSafeInteger(value) ? value : undefined;
}
