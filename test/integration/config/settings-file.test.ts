import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type SettingsError, SettingsFile, type SettingsFileOptions } from '../../../src/config/index.js';
import { root } from '../../tidy/sources.js';
import { until } from '../client/until.js';

const SCHEMA = z.strictObject({ size: z.int(), words: z.array(z.string()).default([]) });
type Value = z.output<typeof SCHEMA>;

let folder: string;
let path: string;
let file: SettingsFile<Value> | undefined;
let heard: Value[];
let problems: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plimsoll-settings-file-'));
  path = join(folder, 'settings.yaml');
  writeFileSync(path, 'size: 1\n');
  heard = [];
  problems = [];
});

afterEach(() => {
  file?.close();
  file = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const NEVER = 86_400_000;

async function open(given: Partial<SettingsFileOptions<Value>> = {}, at = path) {
  file = await SettingsFile.open(at, SCHEMA, {
    onChange: (value) => void heard.push(value),
    onProblem: ({ message }) => void problems.push(message),
    pollMs: 10,
    settleMs: 5,
    ...given,
  });
  return file;
}

const sizes = () => heard.map(({ size }) => size);

describe('a file of settings', () => {
  it('holds from the start, and as it is changed', async () => {
    const settings = await open();
    expect(settings.value).toEqual({ size: 1, words: [] });
    writeFileSync(path, 'size: 2\n');
    await until('the change', () => settings.value.size === 2);
    expect(sizes()).toEqual([2]);
  });

  it('that is wrong at the start is not opened', async () => {
    writeFileSync(path, 'size: big\n');
    await expect(open()).rejects.toThrow(`${path}:1:7: size: must be a whole number, got "big"`);
    await expect(open({}, join(folder, 'missing.yaml'))).rejects.toThrow(
      'missing.yaml: cannot be read: ENOENT',
    );
    await expect(open({}, folder)).rejects.toThrow('is no ordinary file');
    await expect(open({ pollMs: 0 })).rejects.toThrow('pollMs must be from 1 to 86400000, got 0');
    await expect(open({ settleMs: Number.NaN })).rejects.toThrow('settleMs must be');
    await expect(open({ poll: 3 } as object)).rejects.toThrow('settings file has no option "poll"');
  });

  it('that becomes wrong changes nothing, and says why, once', async () => {
    const settings = await open();
    writeFileSync(path, 'size: big\n');
    await until('the problem', () => problems.length > 0);
    // Written again as it is: another time, the same words.
    for (let at = 0; at < 3; at++) {
      writeFileSync(path, 'size: big\n');
      await sleep(30);
    }
    expect(problems).toEqual([`${path}:1:7: size: must be a whole number, got "big"`]);
    expect(settings.value.size).toBe(1);
    writeFileSync(path, 'size: huge\n');
    await until('the other problem', () => problems.length > 1);
    writeFileSync(path, 'size: 3\n');
    await until('the change', () => settings.value.size === 3);
    expect(sizes()).toEqual([3]);
    expect(problems).toHaveLength(2);
  });

  it('that is as it was is no change', async () => {
    const settings = await open({ pollMs: NEVER });
    writeFileSync(path, 'size: 1\n');
    await settings.reload();
    writeFileSync(path, 'size: x\n');
    await settings.reload();
    writeFileSync(path, 'size: 1\n');
    await settings.reload();
    expect(sizes()).toEqual([]);
    expect(problems).toHaveLength(1);
  });

  it('that says again what holds is told of, once, after each time that it was wrong', async () => {
    let mended = 0;
    const settings = await open({ pollMs: NEVER, onMended: () => mended++ });
    const states: number[] = [];
    for (const text of ['size: 1', 'size: x', 'size: x', 'size: 1', 'size: 1', 'size: 2']) {
      writeFileSync(path, text.replace('1', '1\n'));
      await settings.reload();
      states.push(mended);
    }
    expect(states).toEqual([0, 0, 0, 1, 1, 1]);
    writeFileSync(path, 'size: x');
    await settings.reload();
    writeFileSync(path, 'size: 3');
    await settings.reload();
    expect([mended, settings.value.size]).toEqual([1, 3]);
  });

  it('is found again when it was renamed, removed and made anew', async () => {
    const settings = await open();
    writeFileSync(`${path}.new`, 'size: 2\n');
    renameSync(`${path}.new`, path);
    await until('the renamed one', () => settings.value.size === 2);
    unlinkSync(path);
    await until('that it is gone', () => problems.length > 0);
    expect(problems).toEqual([expect.stringContaining(`${path}: cannot be read: ENOENT`)]);
    expect(settings.value.size).toBe(2);
    writeFileSync(path, 'size: 4\n');
    await until('the new one', () => settings.value.size === 4);
    expect(problems).toHaveLength(1);
  });

  it('may be a link into a folder that is swapped, as Kubernetes does it', async () => {
    for (const [name, size] of [
      ['..1', 1],
      ['..2', 2],
    ] as const) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'map.yaml'), `size: ${size}\n`);
    }
    symlinkSync('..1', join(folder, '..data'));
    symlinkSync(join('..data', 'map.yaml'), join(folder, 'map.yaml'));
    const settings = await open({}, join(folder, 'map.yaml'));
    symlinkSync('..2', join(folder, '..data_tmp'));
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
    rmSync(join(folder, '..1'), { recursive: true });
    await until('the other folder', () => settings.value.size === 2);
    expect(problems).toEqual([]);
  });

  it('is not read while it is written', async () => {
    const settings = await open({ settleMs: 200 });
    const words = (count: number) => `size: 2\nwords:\n${'- a\n'.repeat(count)}`;
    for (let count = 1; count <= 20; count++) {
      writeFileSync(path, words(count));
      await sleep(10);
    }
    await until('the change', () => heard.length > 0);
    expect(heard.at(-1)!.words).toHaveLength(20);
    expect(settings.value.words).toHaveLength(20);
    // Not twenty times: the machine may have stood still in between once or twice.
    expect(heard.length).toBeLessThan(5);
  });

  it('does not hold when it cannot be applied', async () => {
    let isReady = false;
    const settings = await open({
      pollMs: NEVER,
      onChange: async ({ size }) => {
        await sleep(1);
        if (size === 2) throw new RangeError('size must be odd, got 2');
        if (!isReady) throw Object.assign(new Error('nobody there'), { code: 'ECONNREFUSED' });
      },
    });
    writeFileSync(path, 'size: 2\n');
    await settings.reload();
    expect(settings.value.size).toBe(1);
    writeFileSync(path, 'size: 3\n');
    await settings.reload();
    expect(settings.value.size).toBe(1);
    expect(problems).toEqual([`${path}: size must be odd, got 2`, `${path}: nobody there`]);
    isReady = true;
    await settings.reload();
    expect(settings.value.size).toBe(3);
  });

  it('is tried again when the reason may be gone', async () => {
    let tries = 0;
    const settings = await open({
      onChange: () => {
        if (++tries < 4) throw Object.assign(new Error('nobody there'), { code: 'ECONNREFUSED' });
      },
    });
    writeFileSync(path, 'size: 3\n');
    await until('the change', () => settings.value.size === 3);
    expect(problems).toEqual([`${path}: nobody there`]);
  });

  it('bears whoever is told and fails', async () => {
    let told: SettingsError | undefined;
    const said: unknown[] = [];
    const { error } = console;
    console.error = (...words) => void said.push(...words);
    try {
      const settings = await open({
        pollMs: NEVER,
        onProblem: (problem) => {
          told = problem;
          throw new Error('a fault');
        },
      });
      writeFileSync(path, 'size: x\n');
      await settings.reload();
    } finally {
      console.error = error;
    }
    expect(told?.problems).toEqual([
      { line: 1, column: 7, path: 'size', text: 'must be a whole number, got "x"' },
    ]);
    expect(said).toEqual([expect.objectContaining({ message: 'a fault' })]);
  });

  it('takes variables from the environment when asked to', async () => {
    writeFileSync(path, `size: \${SIZE}\n`);
    expect((await open({ environment: { SIZE: '7' } })).value.size).toBe(7);
  });

  it('is not followed any more once it is closed', async () => {
    const settings = await open({ sighup: true });
    const before = process.listenerCount('SIGHUP');
    settings.close();
    settings.close();
    expect(process.listenerCount('SIGHUP')).toBe(before - 1);
    writeFileSync(path, 'size: 2\n');
    await settings.reload();
    await sleep(50);
    expect(settings.value.size).toBe(1);
    expect([heard, problems]).toEqual([[], []]);
  });

  it('may block nobody: a pipe in its place is said to be none', async () => {
    const settings = await open({ pollMs: NEVER });
    unlinkSync(path);
    execFileSync('mkfifo', [path]);
    await settings.reload();
    expect(problems).toEqual([`${path}: is no ordinary file`]);
    expect(settings.value.size).toBe(1);
  });
});

describe('a process', () => {
  it('that has nothing else to do ends when what it asked for has been read', () => {
    const program = `
      import { writeFileSync } from 'node:fs';
      import * as z from 'zod';
      import { SettingsFile } from '${join(root, 'dist/config/index.js')}';
      const file = await SettingsFile.open(process.argv[1], z.strictObject({ size: z.int() }));
      writeFileSync(process.argv[1], 'size: 2');
      await file.reload();
      console.log(file.value);
    `;
    const args = ['--input-type=module', '-e', program, path];
    expect(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' })).toBe('{ size: 2 }\n');
  });

  it('reads its file again on SIGHUP, answers again, and is not kept alive by it', async () => {
    const program = `
      import * as z from 'zod';
      import { SettingsFile } from '${join(root, 'dist/config/index.js')}';
      const file = await SettingsFile.open(process.argv[1], z.strictObject({ size: z.int() }), {
        sighup: true,
        pollMs: ${NEVER},
        settleMs: 5,
        onChange: ({ size }) => console.log('size ' + size),
        onProblem: ({ message }) => console.log('problem ' + message.split(': ').at(-1)),
      });
      console.log('ready');
      process.stdin.once('data', () => process.stdin.destroy());
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, path], {
      cwd: root,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    const ended = new Promise((resolve) => child.once('exit', (...end) => resolve(end)));
    try {
      await until('its start', () => output.includes('ready\n'));
      writeFileSync(path, 'size: 2\n');
      child.kill('SIGHUP');
      await until('the change', () => output.includes('size 2\n'));
      writeFileSync(path, 'size: x\n');
      child.kill('SIGHUP');
      await until('the problem', () => output.includes('problem '));
      child.kill('SIGHUP');
      await until('the problem again', () => output.split('problem ').length === 3);
      child.stdin.write('end\n');
      expect(await ended).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
