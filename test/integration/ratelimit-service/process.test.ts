import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { root } from '../../tidy/sources.js';
import { RlsClient } from './rls-client.js';

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-rls-process-'));
const file = join(folder, 'rules.yaml');
const PROGRAM = join(root, 'dist/cli/main.js');
const rules = (limit: number) =>
  `domain: edge\ndescriptors:\n  - { key: user, rate_limit: { unit: day, requests_per_unit: ${limit} } }\n`;

let child: ChildProcess | undefined;
let said = '';

afterEach(() => {
  child?.kill('SIGKILL');
  child = undefined;
  said = '';
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function heard(pattern: RegExp): Promise<RegExpExecArray> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const found = pattern.exec(said);
    if (found !== null) return found;
    if (Date.now() > deadline) throw new Error(`${pattern} was not said:\n${said}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function start(...args: string[]): Promise<RlsClient> {
  child = spawn(process.execPath, [
    PROGRAM,
    'ratelimit-service',
    '--grpc-port',
    '0',
    '--http-port',
    'none',
    ...args,
  ]);
  child.stderr!.on('data', (bytes: Buffer) => {
    said += String(bytes);
  });
  const [, port] = await heard(/listens on grpc:\/\/127\.0\.0\.1:(\d+)/);
  return new RlsClient(Number(port));
}

describe('plimsoll ratelimit-service', () => {
  it('follows its rules, on SIGHUP at once, and ends on SIGTERM', async () => {
    writeFileSync(file, rules(2));
    const client = await start(file);
    expect(await client.words('edge', ['user=x'], 3)).toBe('OK OK OVER');
    writeFileSync(file, 'domain: edge\ndescriptors:\n  - { key: user, rate: 5 }\n');
    child!.kill('SIGHUP');
    await heard(/rules\.yaml:3:18: descriptors\[0\]\.rate: is not known.*\nwhat held before holds on/);
    expect(await client.words('edge', ['user=x'], 1)).toBe('OVER');
    writeFileSync(file, rules(3));
    child!.kill('SIGHUP');
    await heard(/rules hold.*\n[\s\S]*rules hold: 1 domain, 1 limit/);
    expect(await client.words('edge', ['user=x'], 4)).toBe('OK OK OK OVER');
    const ended = once(child!, 'exit');
    child!.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    client.close();
  });

  it('says what is wrong, and ends with 2', () => {
    const run = (...args: string[]) => {
      const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'ratelimit-service', ...args], {
        encoding: 'utf8',
      });
      return `${status} ${stderr}`;
    };
    writeFileSync(file, 'domain: edge\ndescriptors:\n  - keys: user\n');
    expect(run(file)).toMatch(/^2 plimsoll: .*rules\.yaml:3:5: descriptors\[0\]\.key: is missing/);
    expect(run(join(folder, 'missing.yaml'))).toMatch(/^2 plimsoll: .*missing\.yaml: cannot be read/);
    expect(run()).toMatch(/^2 plimsoll: ratelimit-service needs a file or a folder/);
    writeFileSync(file, rules(1));
    expect(run(file, '--grpc-port', '80000')).toMatch(/^2 plimsoll: grpcPort must be/);
    const checked = spawnSync(process.execPath, [PROGRAM, 'ratelimit-service', '--check', file], {
      encoding: 'utf8',
    });
    expect([checked.status, checked.stdout]).toEqual([0, '1 domain, 1 limit\n']);
  });
});
