import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { root } from '../tidy/sources.js';

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-cli-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function plimsoll(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'dist/cli/main.js'), ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('plimsoll', () => {
  it('says what it can do', () => {
    expect(plimsoll('--help')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('simulate <scenario>'),
    });
    expect(plimsoll()).toMatchObject({ status: 2, stdout: expect.stringContaining('simulate <scenario>') });
    expect(plimsoll('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([
    [['fly'], 'there is no command "fly"'],
    [['simulate'], 'simulate needs a scenario'],
    [['simulate', 'subsetting-table', '--sed', '1'], "Unknown option '--sed'"],
    [['simulate', 'subsetting-table', '--svg', 'missing/out.svg'], 'missing/out.svg cannot be written'],
    [['simulate', 'missing.yaml'], 'missing.yaml: cannot be read: ENOENT'],
  ])('refuses %j and says why', (args, message) => {
    const { status, stdout, stderr } = plimsoll(...args);
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(`plimsoll: `);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^ +at .*:\d+:\d+/m);
  });
});

describe('plimsoll simulate', () => {
  it('lists scenarios and helps', () => {
    expect(plimsoll('simulate', '--list')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^subsetting-table +three ways of choosing a subset/m),
    });
    expect(plimsoll('simulate', '--help')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('--seed N'),
    });
  });

  it('prints tables, and that the claims hold', () => {
    const { status, stdout, stderr } = plimsoll('simulate', 'subsetting-table');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^subsetting-table · seed 0\nthree ways/);
    expect(stdout).toMatch(/^rocksteadier +·+┿·+ +1\.00 +1\.00 /m);
    expect(stdout).not.toContain('✗');
    expect(stdout.match(/^✓/gm)!.length).toBeGreaterThan(10);
    expect(stdout).toMatch(/^all \d+ checks hold\n$/m);
    // Progress is for terminals.
    expect(stderr).toBe('');
    for (const line of stdout.split('\n').slice(2)) expect(line.length).toBeLessThanOrEqual(120);
  });

  it('prints one object as JSON, the same for the same seed', () => {
    const first = plimsoll('simulate', 'subsetting-table', '--json', '--seed', '5').stdout;
    expect(plimsoll('simulate', 'subsetting-table', '--json', '--seed', '5').stdout).toBe(first);
    const result = JSON.parse(first);
    expect(Object.keys(result)).toEqual(['scenario', 'seed', 'options', 'rows', 'checks']);
    expect(result).toMatchObject({ scenario: 'subsetting-table', seed: 5 });
    for (const check of result.checks)
      expect(Object.keys(check)).toEqual(['name', 'value', 'bound', 'holds']);
  });
});

describe('plimsoll simulate with a fleet', () => {
  const FLEET = `durationMs: 2000
warmupMs: 500
services:
  web:
    backends: 4
clients:
  browsers:
    count: 2
    service: web
    arrivals: 20
`;
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

  it('runs it, with one policy or several', () => {
    write('fleet.yaml', FLEET);
    const { status, stdout } = plimsoll('simulate', 'fleet.yaml');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^fleet · seed 0\n/);
    expect(stdout).toContain('browsers');
    const compared = plimsoll('simulate', 'fleet.yaml', '--json', '--policy', 'weighted,prequal');
    const { rows } = JSON.parse(compared.stdout) as { rows: { policy: string }[] };
    expect(new Set(rows.map(({ policy }) => policy))).toEqual(new Set(['weighted', 'prequal']));
  });

  it('says where it is wrong, all of it', () => {
    write('wrong.yaml', FLEET.replace('backends: 4', 'bakends: 4').replace('2000', '-1'));
    const { status, stdout, stderr } = plimsoll('simulate', './wrong.yaml');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/^plimsoll: \.\/wrong\.yaml:1:13: durationMs: must be a number .*, got -1$/),
      expect.stringMatching(
        /^\.\/wrong\.yaml:4:3: services\.web\.backends: is missing, must be a whole number /,
      ),
      './wrong.yaml:5:5: services.web.bakends: is not known, did you mean backends?',
      '',
    ]);
  });

  it('is not brought down by what is no fleet', () => {
    write('deep.yaml', '['.repeat(50_000));
    expect(plimsoll('simulate', 'deep.yaml')).toMatchObject({
      status: 2,
      stderr: 'plimsoll: deep.yaml:1:101: is nested too deeply\n',
    });
  });
});

describe('plimsoll check', () => {
  it('says what is wrong with a file, and where', () => {
    writeFileSync(join(folder, 'quota.yaml'), 'everyoneElse: { cpu: 500 }\n');
    writeFileSync(join(folder, 'typo.yaml'), 'everyoneElse: { cpuu: 500 }\n');
    expect(plimsoll('check', 'quota.yaml')).toEqual({
      status: 0,
      stdout: 'quota.yaml: a quota file that is right: 0 customers, in cpu, enforced always\n',
      stderr: '',
    });
    const { status, stdout } = plimsoll('check', 'typo.yaml');
    expect(status).toBe(1);
    expect(stdout).toContain('typo.yaml:1:17: everyoneElse.cpuu: is not known, did you mean cpu?\n');
    expect(plimsoll('check')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('check needs a file'),
    });
  });
});

describe('plimsoll schema', () => {
  it('prints a JSON Schema', () => {
    const { status, stdout } = plimsoll('schema', 'quota');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ type: 'object', required: ['everyoneElse'] });
  });
});
