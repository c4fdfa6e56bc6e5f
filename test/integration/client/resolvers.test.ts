import { mkdir, mkdtemp, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileResolver, type Resolver, staticResolver } from '../../../src/client/resolving/index.js';
import { Heard } from '../../../src/client/resolving/listener.contract.js';
import { until } from './until.js';

let folder: string;
let path: string;
let resolver: Resolver | undefined;
let heard: Heard;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-'));
  path = join(folder, 'backends.yaml');
  heard = new Heard();
});

afterEach(async () => {
  resolver?.close();
  await rm(folder, { recursive: true });
});

/** It looks so seldom that what arrives came by the watch; tests of the net set a short time. */
const NEVER = 3_600_000;

async function follow(text: string, pollMs = NEVER): Promise<void> {
  await writeFile(path, text);
  resolver = fileResolver(path, { pollMs });
  resolver.start(heard);
  await until('backends', () => heard.lists.length > 0);
}

describe('a file', () => {
  it('is read, and again when it is written', async () => {
    await follow('- http://b:1\n- url: http://a:1\n  zone: eu-1\n  state: starting\n  host: orders\n');
    expect(heard.lists).toEqual([
      [{ url: 'http://a:1', zone: 'eu-1', state: 'starting', host: 'orders' }, { url: 'http://b:1' }],
    ]);
    await writeFile(path, '{"backends": ["http://c:1"]}');
    await until('the change', () => heard.urls?.join() === 'http://c:1');
    expect(heard.lists).toHaveLength(2);
    expect(heard.errors).toEqual([]);
  });

  it('may be replaced by another, again and again', async () => {
    await follow('- http://a:1');
    for (const port of [2, 3, 4]) {
      await writeFile(join(folder, 'new'), `- http://a:${port}`);
      await rename(join(folder, 'new'), path);
      await until('the change', () => heard.urls?.[0] === `http://a:${port}`);
    }
    expect(heard.lists).toHaveLength(4);
  });

  it('may be a link that is swapped beside it, as in Kubernetes', async () => {
    for (const each of [1, 2]) {
      await mkdir(join(folder, `..${each}`));
      await writeFile(join(folder, `..${each}`, 'backends.yaml'), `- http://a:${each}`);
    }
    await symlink('..1', join(folder, '..data'));
    await symlink('..data/backends.yaml', path);
    resolver = fileResolver(path, { pollMs: NEVER });
    resolver.start(heard);
    await until('backends', () => heard.urls?.[0] === 'http://a:1');
    await symlink('..2', join(folder, '..new'));
    await rename(join(folder, '..new'), join(folder, '..data'));
    await until('the change', () => heard.urls?.[0] === 'http://a:2');
  });

  it('that is gone changes nothing, is reported once, and read when it is back', async () => {
    await follow('- http://a:1', 30);
    await unlink(path);
    await until('an error', () => heard.errors.length > 0);
    await sleep(200);
    expect(heard.errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^\/.*backends.yaml: ENOENT/),
    ]);
    expect(heard.lists).toHaveLength(1);
    await writeFile(path, '- http://a:2');
    await until('the change', () => heard.urls?.[0] === 'http://a:2');
  });

  it.each([
    ['half a list of JSON', '["http://b:1", "ht'],
    ['nothing', ''],
    ['another thing', 'name: orders'],
    ['only what is wrong', '- nonsense'],
    ['no text', new Uint8Array([0x2d, 0x20, 0xff, 0xfe])],
    ['too much', `- http://b:1\n${'#'.repeat(1_000_000)}`],
  ])('with %s changes nothing and is reported', async (_, content) => {
    await follow('- http://a:1');
    await writeFile(path, content);
    await until('an error', () => heard.errors.length > 0);
    expect(heard.errors[0]!.message).toContain(`${path}: `);
    expect(heard.lists).toHaveLength(1);
    await writeFile(path, '- http://a:2');
    await until('the change', () => heard.urls?.[0] === 'http://a:2');
  });

  it('that is written bit by bit is read when it is whole', async () => {
    await follow('- http://a:1');
    const lines = Array.from({ length: 20 }, (_, i) => `- http://b:${i + 1}\n`);
    resolver!.close();
    heard = new Heard();
    resolver = fileResolver(path, { pollMs: NEVER, settleMs: 300 });
    resolver.start(heard);
    await until('backends', () => heard.lists.length > 0);
    await writeFile(path, '');
    for (const line of lines) {
      await writeFile(path, line, { flag: 'a' });
      await sleep(5);
    }
    await until('all', () => heard.urls?.length === 20);
    expect(heard.lists).toHaveLength(2);
    expect(heard.errors).toEqual([]);
  });

  it('without some entries that are wrong is what is right of it', async () => {
    await follow('- http://a:1');
    await writeFile(path, '- http://a:2\n- nonsense\n- http://a:2/\n');
    await until('the change', () => heard.urls?.join() === 'http://a:2');
    expect(heard.errors[0]!.message).toContain('1 of 3 left out: url must be');
  });

  it('says that there are none by an empty list', async () => {
    await follow('- http://a:1');
    await writeFile(path, 'backends: []');
    await until('none', () => heard.urls?.length === 0);
  });

  it('is found by looking where nothing tells of changes', async () => {
    const other = await mkdtemp(join(tmpdir(), 'plimsoll-'));
    await writeFile(join(other, 'list'), '- http://a:1');
    // A link out of the directory: what happens there is not seen here.
    await symlink(join(other, 'list'), path);
    resolver = fileResolver(path, { pollMs: 50 });
    resolver.start(heard);
    await until('backends', () => heard.urls?.[0] === 'http://a:1');
    await writeFile(join(other, 'list'), '- http://a:2');
    await until('the change', () => heard.urls?.[0] === 'http://a:2');
    await rm(other, { recursive: true });
  });

  it('may be in a directory that comes later', async () => {
    resolver = fileResolver(join(folder, 'later', 'backends.yaml'), { pollMs: 50 });
    resolver.start(heard);
    await until('an error', () => heard.errors.length > 0);
    await mkdir(join(folder, 'later'));
    await writeFile(join(folder, 'later', 'backends.yaml'), '- http://a:1');
    await until('backends', () => heard.urls?.[0] === 'http://a:1');
  });

  it('is looked at when asked to', async () => {
    const other = await mkdtemp(join(tmpdir(), 'plimsoll-'));
    await writeFile(join(other, 'list'), '- http://a:1');
    await symlink(join(other, 'list'), path);
    resolver = fileResolver(path, { pollMs: NEVER });
    resolver.start(heard);
    await until('backends', () => heard.urls?.[0] === 'http://a:1');
    await writeFile(join(other, 'list'), '- http://a:2');
    for (let i = 0; i < 1_000; i++) resolver.refresh();
    await until('the change', () => heard.urls?.[0] === 'http://a:2');
    await rm(other, { recursive: true });
  });

  it('is not followed after the end', async () => {
    await follow('- http://a:1', 20);
    resolver!.close();
    resolver!.close();
    await writeFile(path, '- http://a:2');
    await sleep(200);
    expect(heard.lists).toHaveLength(1);
  });

  it.each([
    ['', {}, /path/],
    ['a', { pollMs: 0 }, /pollMs/],
    ['a', { settleMs: -1 }, /settleMs/],
    ['a', { interval: 5 } as object, /has no option "interval"/],
  ])('is refused: %j with %j', (name, options, message) => {
    expect(() => fileResolver(name, options)).toThrow(message);
  });
});

it('a list tells at once what it was given', () => {
  resolver = staticResolver(['http://a:1']);
  resolver.start(heard);
  expect(heard.urls).toEqual(['http://a:1']);
});
