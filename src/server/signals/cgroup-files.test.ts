import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  foldersOf,
  parseBytes,
  parseCfs,
  parseCpuMax,
  parseMemberships,
  parseMounts,
} from './cgroup-files.js';

describe('parseMemberships', () => {
  it('reads a hierarchy of version 2', () => {
    expect(parseMemberships('0::/user.slice/app.service\n')).toEqual([
      { controllers: [], path: '/user.slice/app.service' },
    ]);
  });

  it('reads those of version 1, with colons in paths', () => {
    const text = '12:cpu,cpuacct:/docker/ab:c\n9:name=systemd:/\n4:memory:/docker/ab:c\n0::/\n';
    expect(parseMemberships(text)).toEqual([
      { controllers: ['cpu', 'cpuacct'], path: '/docker/ab:c' },
      { controllers: ['name=systemd'], path: '/' },
      { controllers: ['memory'], path: '/docker/ab:c' },
      { controllers: [], path: '/' },
    ]);
  });

  it.each([[''], ['\n\n'], ['0:'], ['0::relative'], ['x::/a'], ['nonsense']])('finds none in %j', (text) => {
    expect(parseMemberships(text)).toEqual([]);
  });
});

describe('parseMounts', () => {
  it('finds control groups of both versions among other mounts, with optional fields or without', () => {
    const text = [
      '22 28 0:21 / /proc rw,nosuid shared:13 - proc proc rw',
      '31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755',
      '32 31 0:29 /docker/ab /sys/fs/cgroup/cpu,cpuacct ro,relatime shared:9 master:4 - cgroup cgroup rw,cpu,cpuacct',
      '41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate',
      '',
    ].join('\n');
    expect(parseMounts(text)).toEqual([
      {
        version: 1,
        controllers: ['rw', 'cpu', 'cpuacct'],
        root: '/docker/ab',
        point: '/sys/fs/cgroup/cpu,cpuacct',
      },
      { version: 2, controllers: [], root: '/', point: '/sys/fs/cgroup/unified' },
    ]);
  });

  it('reads what was escaped', () => {
    expect(parseMounts('1 2 0:3 /a\\134b /my\\040groups rw - cgroup2 x rw')).toEqual([
      { version: 2, controllers: [], root: '/a\\b', point: '/my groups' },
    ]);
  });

  it.each([
    [''],
    ['1 2 0:3 / /sys/fs/cgroup rw'],
    ['1 2 - cgroup2 cgroup2 rw'],
    ['1 2 0:3 / - cgroup2 cgroup2 rw'],
    ['1 2 0:3 / /proc rw - proc proc rw'],
  ])('finds none in %j', (text) => {
    expect(parseMounts(text)).toEqual([]);
  });

  it('takes a hierarchy without options for one without controllers', () => {
    expect(parseMounts('1 2 0:3 / /groups rw - cgroup cgroup')).toMatchObject([{ controllers: [''] }]);
  });

  it('survives any text', () => {
    const words = fc.constantFrom(' - ', ' ', '\n', '/', 'cgroup', 'cgroup2', '\\', '040', ':', '0');
    fc.assert(
      fc.property(fc.array(words), (parts) => {
        for (const mount of parseMounts(parts.join(''))) {
          for (const { path } of [
            ...parseMemberships(parts.join('')),
            { controllers: [], path: '/a/../b' },
          ]) {
            for (const folder of foldersOf(mount, path)) expect(folder.split('/')).not.toContain('..');
          }
        }
      }),
    );
  });
});

describe('foldersOf', () => {
  const mount = (root: string, point = '/sys/fs/cgroup') =>
    ({ version: 2, controllers: [], root, point }) as const;

  it('goes up from the own group to the mount', () => {
    expect(foldersOf(mount('/'), '/a/b')).toEqual([
      '/sys/fs/cgroup/a/b',
      '/sys/fs/cgroup/a',
      '/sys/fs/cgroup',
    ]);
    expect(foldersOf(mount('/'), '/')).toEqual(['/sys/fs/cgroup']);
  });

  it('takes off what the mount starts from', () => {
    expect(foldersOf(mount('/docker/ab'), '/docker/ab/job')).toEqual([
      '/sys/fs/cgroup/job',
      '/sys/fs/cgroup',
    ]);
    expect(foldersOf(mount('/docker/ab'), '/docker/ab')).toEqual(['/sys/fs/cgroup']);
  });

  it('looks at the mount alone when the path is not below it', () => {
    expect(foldersOf(mount('/docker/ab'), '/docker/abc')).toEqual(['/sys/fs/cgroup']);
    expect(foldersOf(mount('/'), '/../../other')).toEqual(['/sys/fs/cgroup']);
  });

  it('can be mounted at the root', () => {
    expect(foldersOf(mount('/', '/'), '/a')).toEqual(['/a', '']);
  });
});

describe('CPU quotas', () => {
  it.each([
    ['50000 100000\n', 0.5],
    ['200000 100000', 2],
    ['150000', 1.5],
    ['150000\n', 1.5],
    ['10000 20000', 0.5],
    ['max 100000\n', undefined],
    ['', undefined],
    ['0 100000', undefined],
    ['-1 100000', undefined],
    ['50000 0', undefined],
    ['50000 max', undefined],
    ['5e4 100000', undefined],
    ['garbage', undefined],
  ])('cpu.max of %j is %s', (text, processors) => {
    expect(parseCpuMax(text)).toBe(processors);
  });

  it.each([
    ['50000\n', '100000\n', 0.5],
    ['-1\n', '100000\n', undefined],
    ['50000', '', undefined],
    ['', '100000', undefined],
  ])('a quota of %j per %j is %s', (quota, period, processors) => {
    expect(parseCfs(quota, period)).toBe(processors);
  });
});

describe('parseBytes', () => {
  it.each([
    ['536870912\n', 2 ** 29],
    ['max\n', undefined],
    ['9223372036854771712\n', undefined],
    ['18446744073709551615', undefined],
    ['0', undefined],
    ['-4096', undefined],
    ['', undefined],
    ['512M', undefined],
  ])('%j is %s', (text, bytes) => {
    expect(parseBytes(text)).toBe(bytes);
  });
});
