import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createThreadCpu } from './thread-cpu.js';

const folder = mkdtempSync(join(tmpdir(), 'thread-cpu-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(text: string): string {
  const path = join(folder, 'schedstat');
  writeFileSync(path, text);
  return path;
}

describe('createThreadCpu', () => {
  it('asks Node where it knows', () => {
    const cpu = createThreadCpu({ threadCpuUsage: () => ({ user: 1_500, system: 500 }) }, '/nowhere');
    expect(cpu()).toBe(2);
  });

  it('asks Linux elsewhere', () => {
    expect(createThreadCpu({}, file('368544442 30260512 209\n'))()).toBeCloseTo(368.544442, 9);
  });

  it.each([
    ['0 0 1\n', 'a kernel that does not count'],
    ['', 'an empty file'],
    ['none\n', 'words'],
    ['-5 0 0\n', 'a negative number'],
  ])('does not know by %j: %s', (text) => {
    expect(createThreadCpu({}, file(text))()).toBeUndefined();
  });

  it('does not know without a file, or by something that is none', () => {
    expect(createThreadCpu({}, join(folder, 'missing'))()).toBeUndefined();
    expect(createThreadCpu({}, folder)()).toBeUndefined();
  });
});
