import { describe, expect, it } from 'vitest';
import { filesBelow, readCgroupLimits, readProcessLimits } from './cgroup.js';

const GB = 2 ** 30;
const V2_MOUNT = '30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw';

function limitsIn(files: Record<string, string>) {
  return readCgroupLimits((path) => files[path]);
}

describe('readCgroupLimits', () => {
  it('finds the limits of a container with a namespace of its own', () => {
    expect(
      limitsIn({
        '/proc/self/cgroup': '0::/\n',
        '/proc/self/mountinfo': V2_MOUNT,
        '/sys/fs/cgroup/cpu.max': '150000 100000\n',
        '/sys/fs/cgroup/memory.max': '536870912\n',
        '/sys/fs/cgroup/memory.high': 'max\n',
      }),
    ).toEqual({ processors: 1.5, memoryBytes: GB / 2 });
  });

  it('is bound by the lowest limit on the way up, wherever it is', () => {
    const files = {
      '/proc/self/cgroup': '0::/pod/app\n',
      '/proc/self/mountinfo': V2_MOUNT,
      '/sys/fs/cgroup/pod/app/cpu.max': 'max 100000\n',
      '/sys/fs/cgroup/pod/cpu.max': '50000 100000\n',
      '/sys/fs/cgroup/cpu.max': '400000 100000\n',
      '/sys/fs/cgroup/pod/app/memory.max': `${GB}\n`,
      '/sys/fs/cgroup/pod/memory.max': `${2 * GB}\n`,
    };
    expect(limitsIn(files)).toEqual({ processors: 0.5, memoryBytes: GB });
    const high = { ...files, '/sys/fs/cgroup/pod/memory.high': `${GB / 4}\n` };
    expect(limitsIn(high)).toEqual({ processors: 0.5, memoryBytes: GB / 4 });
  });

  it('finds those of version 1 in the hierarchy of each controller', () => {
    expect(
      limitsIn({
        '/proc/self/cgroup': '4:memory:/docker/ab\n3:cpuset:/\n1:cpu,cpuacct:/docker/ab\n0::/\n',
        '/proc/self/mountinfo': [
          '33 31 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset',
          '32 31 0:29 /docker/ab /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct',
          '35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
          '41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw',
        ].join('\n'),
        // A controller's files in the hierarchy of another are nobody's.
        '/sys/fs/cgroup/cpuset/cpu.cfs_quota_us': '1000',
        '/sys/fs/cgroup/cpuset/cpu.cfs_period_us': '100000',
        '/sys/fs/cgroup/cpuset/memory.limit_in_bytes': '4096',
        '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us': '250000\n',
        '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us': '100000\n',
        '/sys/fs/cgroup/memory/docker/ab/memory.limit_in_bytes': `${GB}\n`,
        '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
      }),
    ).toEqual({ processors: 2.5, memoryBytes: GB });
  });

  it('finds none where there are none', () => {
    const none = { processors: undefined, memoryBytes: undefined };
    expect(limitsIn({})).toEqual(none);
    expect(limitsIn({ '/proc/self/cgroup': '0::/', '/proc/self/mountinfo': V2_MOUNT })).toEqual(none);
    const versionOne = '32 31 0:29 / /groups rw - cgroup cgroup rw,cpu,memory';
    expect(limitsIn({ '/proc/self/cgroup': '1:cpu,memory:/', '/proc/self/mountinfo': versionOne })).toEqual(
      none,
    );
    // Mounted, and the process in no group of it.
    expect(limitsIn({ '/proc/self/mountinfo': V2_MOUNT, '/sys/fs/cgroup/cpu.max': '50000 100000' })).toEqual(
      none,
    );
    expect(readCgroupLimits(filesBelow('/no/such/folder'))).toEqual(none);
  });
});

describe('readProcessLimits', () => {
  const machine = { processors: 4, memoryBytes: 8 * GB };

  it('is the lower one of group and machine', () => {
    expect(readProcessLimits({ processors: 0.5, memoryBytes: GB }, machine)).toEqual({
      processors: 0.5,
      memoryBytes: GB,
    });
    expect(readProcessLimits({ processors: 64, memoryBytes: 64 * GB }, machine)).toEqual(machine);
    expect(readProcessLimits({ processors: undefined, memoryBytes: undefined }, machine)).toEqual(machine);
  });

  it('finds some for this process', () => {
    const { processors, memoryBytes } = readProcessLimits();
    expect(processors).toBeGreaterThan(0);
    expect(memoryBytes).toBeGreaterThan(2 ** 20);
    expect(memoryBytes).toBeLessThan(Number.POSITIVE_INFINITY);
  });
});
