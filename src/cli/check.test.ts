import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { check } from './check.js';
import { KNOWN_FILES } from './known-files.js';
import { schema } from './schema.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-check-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function run(command: typeof check, ...args: string[]) {
  const printed: string[] = [];
  const terminal: Terminal = {
    print: (line) => void printed.push(line),
    note: () => expect.unreachable(),
    width: 120,
    progress: undefined,
    nowMs: () => 0,
  };
  const code = await command(args, terminal, KNOWN_FILES);
  return { code, lines: printed };
}

const QUOTAS = write(
  'quota.yaml',
  'service: search\ncustomers:\n  gmail: { cpu: 4000 }\neveryoneElse: { cpu: 500 }\n',
);
const FLEET = write(
  'fleet.yaml',
  'durationMs: 2000\nservices:\n  web: { backends: 4 }\nclients:\n  browsers: { count: 2, service: web, arrivals: 20 }\n',
);
const WRONG = write('wrong.yaml', 'custmers: {}\neveryoneElse: { cpu: much }\n');

describe('check', () => {
  it('finds out what a file is, and says what is in it', async () => {
    expect(await run(check, QUOTAS, FLEET)).toEqual({
      code: 0,
      lines: [
        `${QUOTAS}: a quota file that is right: service search, 1 customer, in cpu, enforced always`,
        `${FLEET}: a simulated fleet that is right: 1 service, 4 backends, 1 kind of clients, 0 faults`,
      ],
    });
  });

  it('says what is wrong, where, and goes on with the next', async () => {
    expect(await run(check, WRONG, QUOTAS)).toEqual({
      code: 1,
      lines: [
        `${WRONG}:1:1: custmers: is not known, did you mean customers?`,
        `${WRONG}:2:22: everyoneElse.cpu: must be a number a second, a rate like "300/min", or unlimited, got "much"`,
        expect.stringContaining('quota.yaml: a quota file that is right'),
      ],
    });
  });

  it('says so when there is no file, no YAML, or nothing that is known', async () => {
    const missing = join(folder, 'missing.yaml');
    const broken = write('broken.yaml', 'a: [1\n');
    const strange = write('strange.yaml', 'a: 1\n');
    const { code, lines } = await run(check, missing, broken, strange);
    expect(code).toBe(1);
    expect(lines).toEqual([
      expect.stringContaining(`${missing}: cannot be read: ENOENT`),
      expect.stringContaining(`${broken}:2:1: Flow sequence`),
      expect.stringMatching(
        /strange\.yaml: is none of the files .*a quota file .*a simulated fleet .*--kind/,
      ),
    ]);
  });

  it('believes what it is told a file is', async () => {
    const { lines } = await run(check, '--kind', 'quota', FLEET);
    expect(lines).toContain(
      `${FLEET}:1:1: durationMs: is not known, only service, unit, customers, everyoneElse, enforce`,
    );
  });

  it('finds parts of a fleet that do not go together', async () => {
    const impossible = write(
      'impossible.yaml',
      'durationMs: 2000\nservices:\n  web: { backends: 4 }\nclients:\n  a: { count: 2, service: wbe, arrivals: 20 }\n',
    );
    expect(await run(check, impossible)).toEqual({
      code: 1,
      lines: [`${impossible}:5:27: clients.a.service: there is no service "wbe", only web`],
    });
  });

  it('prints a list as JSON', async () => {
    const { code, lines } = await run(check, '--json', QUOTAS, WRONG);
    expect(code).toBe(1);
    expect(JSON.parse(lines.join('\n'))).toEqual([
      {
        file: QUOTAS,
        kind: 'quota',
        ok: true,
        summary: 'service search, 1 customer, in cpu, enforced always',
        problems: [],
        more: 0,
      },
      {
        file: WRONG,
        kind: 'quota',
        ok: false,
        problems: [
          { line: 1, column: 1, path: 'custmers', text: 'is not known, did you mean customers?' },
          { line: 2, column: 22, path: 'everyoneElse.cpu', text: expect.stringContaining('got "much"') },
        ],
        more: 0,
      },
    ]);
  });

  it('counts what is too much to say', async () => {
    const keys = Array.from({ length: 60 }, (_, at) => `k${at}: 1\n`).join('');
    const { lines } = await run(check, write('many.yaml', `everyoneElse: { cpu: 1 }\n${keys}`));
    expect(lines).toHaveLength(51);
    expect(lines.at(-1)).toMatch(/many\.yaml: and 10 more$/);
  });

  it('helps', async () => {
    const { code, lines } = await run(check, '--help');
    expect(code).toBe(0);
    expect(lines.join('\n')).toContain('plimsoll check <file…>');
    expect(lines.join('\n')).toMatch(/^ +quota +quota file: service, unit/m);
  });
});

describe('schema', () => {
  it('prints that of quotas and of fleets', async () => {
    const quota = JSON.parse((await run(schema, 'quota')).lines.join('\n'));
    expect(Object.keys(quota.properties)).toContain('everyoneElse');
    const fleet = JSON.parse((await run(schema, 'fleet')).lines.join('\n'));
    expect(Object.keys(fleet.properties)).toContain('services');
  });

  it('helps', async () => {
    expect((await run(schema, '-h')).lines.join('\n')).toContain('# yaml-language-server: $schema=');
  });
});

it.each([
  [check, [], 'check needs a file'],
  [check, ['--kind', 'quotas', QUOTAS], 'there is no kind of file "quotas", did you mean quota?'],
  [check, ['--kind', 'garden', QUOTAS], 'there is no kind of file "garden", there are gateway, quota, fleet'],
  [schema, [], 'schema needs a kind of file'],
  [schema, ['flet'], 'did you mean fleet?'],
  [schema, ['quota', 'fleet'], 'schema takes one kind, got quota and fleet'],
])('%# is a wrong command', async (command, args, message) => {
  await expect(run(command, ...args)).rejects.toThrow(message);
  await expect(run(command, ...args)).rejects.toBeInstanceOf(UsageError);
});
