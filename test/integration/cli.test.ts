import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../tidy/sources.js';

function plimsoll(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'dist/cli/main.js'), ...args], {
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
    [['simulate', 'nothing'], 'there is no scenario "nothing"'],
    [['simulate', 'constructor'], 'there is no scenario "constructor"'],
    [['simulate', 'subsetting-table', 'another'], 'simulate takes one scenario'],
    [['simulate', 'subsetting-table', '--seed', '-1'], '--seed'],
    [
      ['simulate', 'subsetting-table', '--seed', 'x'],
      '--seed takes a whole number from 0 to 999999999, got "x"',
    ],
    [['simulate', 'subsetting-table', '--sed', '1'], "Unknown option '--sed'"],
  ])('refuses %j and says why', (args, message) => {
    const { status, stdout, stderr } = plimsoll(...args);
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('    at ');
  });
});

describe('plimsoll simulate', () => {
  it('lists scenarios and helps', () => {
    expect(plimsoll('simulate', '--list')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('subsetting-table'),
    });
    expect(plimsoll('simulate', '--help')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('--seed N'),
    });
  });

  it('prints a table, and that the claims hold', () => {
    const { status, stdout } = plimsoll('simulate', 'subsetting-table');
    expect(status).toBe(0);
    expect(stdout).toContain('rocksteadier');
    expect(stdout).not.toContain('✗');
    expect(stdout.match(/✓/g)!.length).toBeGreaterThan(10);
  });

  it('prints one object as JSON, the same for the same seed', () => {
    const first = plimsoll('simulate', 'subsetting-table', '--json', '--seed', '5').stdout;
    expect(plimsoll('simulate', 'subsetting-table', '--json', '--seed', '5').stdout).toBe(first);
    const result = JSON.parse(first);
    expect(Object.keys(result)).toEqual(['scenario', 'seed', 'options', 'rows', 'checks']);
    expect(result).toMatchObject({ scenario: 'subsetting-table', seed: 5 });
    for (const check of result.checks)
      expect(Object.keys(check)).toEqual(['name', 'value', 'bound', 'holds']);
    expect(plimsoll('simulate', 'subsetting-table', '--json', '--seed', '6').stdout).not.toBe(first);
  });
});
