import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { GROUPED_BARS } from '../simulations/figures/samples.contract.js';
import type { Simulations } from '../simulations/simulations.js';
import { atMost } from '../simulator/report/result.js';
import type { Scenario } from '../simulator/scenarios/scenario.js';
import { simulate } from './simulate.js';
import { UsageError } from './usage-error.js';

/** A scenario that takes a second of the terminal's clock, which only this moves. */
function scenario(clock: { nowMs: number }, changes: Partial<Scenario> & { value?: number } = {}): Scenario {
  const { name = 'plain', value = 1, ...rest } = changes;
  return {
    name,
    claim: `${name} is claimed`,
    run: ({ seed, policies, onProgress }) => {
      onProgress?.({ share: 0, events: 0 });
      clock.nowMs += 1_000;
      onProgress?.({ share: 0.5, events: 1_000 });
      const rows = (policies ?? ['none']).map((policy) => ({ policy, seed }));
      return {
        result: { scenario: name, seed, options: {}, rows, checks: [atMost('value', value, 2)] },
        figures: name === 'figured' ? [GROUPED_BARS] : [],
      };
    },
    ...rest,
  };
}

function world(isWatched = false) {
  const clock = { nowMs: 0 };
  const [printed, noted, drawn]: string[][] = [[], [], []];
  const nowMs = () => clock.nowMs;
  const simulations: Simulations = {
    scenarios: [
      scenario(clock),
      scenario(clock, { name: 'comparing', policies: ['weighted', 'prequal'] }),
      scenario(clock, { name: 'figured' }),
      scenario(clock, { name: 'failing', value: 3 }),
    ],
    fleets: {
      schema: z.strictObject({ backends: z.number() }),
      scenario: (name) => scenario(clock, { name, policies: ['weighted'] }),
    },
  };
  const terminal = {
    print: (line: string) => void printed!.push(line),
    note: (line: string) => void noted!.push(line),
    width: 120,
    progress: isWatched
      ? { write: (text: string) => void drawn!.push(text), columns: 100, nowMs }
      : undefined,
    nowMs,
  };
  return {
    run: (...args: string[]) => simulate(args, terminal, simulations),
    only: (...scenarios: Scenario[]) => simulate(['--all'], terminal, { ...simulations, scenarios }),
    clock,
    output: () => printed!.join('\n'),
    notes: noted!,
    drawn: drawn!,
  };
}

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-simulate-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('simulate', () => {
  it('runs a scenario and prints what it found', async () => {
    const { run, output } = world();
    expect(await run('plain', '--seed', '7')).toBe(0);
    expect(output()).toBe(`plain · seed 7
plain is claimed

policy  seed
──────  ────
none       7

✓ value  1  <= 2
the check holds`);
  });

  it('says by its exit code that a check does not hold', async () => {
    const { run, output } = world();
    expect(await run('failing')).toBe(1);
    expect(output()).toContain('✗ value  3  <= 2\n1 of 1 check does not hold');
  });

  it('prints JSON, with the wanted policies', async () => {
    const { run, output } = world();
    expect(await run('comparing', '--json', '--policy', 'prequal,round-robin')).toBe(0);
    expect(JSON.parse(output())).toEqual({
      scenario: 'comparing',
      seed: 0,
      options: {},
      rows: [
        { policy: 'prequal', seed: 0 },
        { policy: 'round-robin', seed: 0 },
      ],
      checks: [{ name: 'value', value: 1, bound: '<= 2', holds: true }],
    });
  });

  it('helps and lists', async () => {
    const { run, output } = world();
    expect(await run('--help')).toBe(0);
    expect(await run('--list')).toBe(0);
    expect(output()).toContain('plimsoll simulate <scenario>');
    expect(output()).toContain('comparing  comparing is claimed\n           policies: weighted, prequal');
  });

  it.each([
    [[], 'simulate needs a scenario:\n\nplain      plain is claimed'],
    [['plian'], 'there is no scenario "plian". Did you mean plain?'],
    [['nothing'], 'there is no scenario "nothing". There are:\n\nplain '],
    [['constructor'], 'there is no scenario "constructor"'],
    [['plain', '--policy', 'prequal'], 'plain does not compare policies: --policy is not for it'],
    [['plain', '--svg', join(folder, 'missing', 'a.svg')], 'cannot be written'],
    [['missing.yaml'], 'missing.yaml: cannot be read: ENOENT'],
  ])('refuses %j before anything is run', async (args, message) => {
    const { run, clock } = world();
    await expect(run(...args)).rejects.toThrow(message);
    await expect(run(...args)).rejects.toBeInstanceOf(UsageError);
    expect(clock.nowMs).toBe(0);
  });
});

describe('simulate with a fleet', () => {
  const path = join(folder, 'fleet.yaml');

  it('runs it', async () => {
    writeFileSync(path, 'backends: 3\n');
    const { run, output } = world();
    expect(await run(path, '--policy', 'weighted')).toBe(0);
    expect(output()).toContain('fleet · seed 0\nfleet is claimed\n');
  });

  it('says where it is wrong', async () => {
    const wrong = join(folder, 'wrong.yaml');
    writeFileSync(wrong, 'backends: many\n');
    await expect(world().run(wrong)).rejects.toThrow(`${wrong}:1:11: backends: must be a number, got "many"`);
  });
});

describe('simulate --svg', () => {
  it('writes the figures, and says so beside the output', async () => {
    const path = join(folder, 'out.svg');
    const { run, output, notes } = world();
    expect(await run('figured', '--json', '--svg', path)).toBe(0);
    expect(readFileSync(path, 'utf8')).toContain(GROUPED_BARS.title);
    expect(notes).toEqual([`wrote ${path}`]);
    expect(JSON.parse(output())).toMatchObject({ scenario: 'figured' });
  });

  it('says when there are no figures, but keeps what was found', async () => {
    const path = join(folder, 'none.svg');
    const { run, output } = world();
    await expect(run('plain', '--svg', path)).rejects.toThrow('plain has no figures: --svg is not for it');
    expect(output()).toContain('the check holds');
    expect(existsSync(path)).toBe(false);
  });
});

describe('simulate --all', () => {
  it('runs all of them, with a verdict each', async () => {
    const { run, output } = world();
    expect(await run('--all')).toBe(1);
    expect(output()).toBe(`✓ plain        1.00 s
✓ comparing    1.00 s
✓ figured      1.00 s
✗ failing      1.00 s
    ✗ value  3  <= 2
1 of 4 scenarios does not hold`);
  });

  it('is content when all hold', async () => {
    const { only, clock, output } = world();
    expect(await only(scenario(clock), scenario(clock, { name: 'other' }))).toBe(0);
    expect(output()).toContain('all 2 scenarios hold');
  });

  it('prints a list as JSON', async () => {
    const { run, output } = world();
    expect(await run('--all', '--json', '--seed', '4')).toBe(1);
    const results = JSON.parse(output()) as { scenario: string; seed: number }[];
    expect(results.map(({ scenario, seed }) => [scenario, seed])).toEqual([
      ['plain', 4],
      ['comparing', 4],
      ['figured', 4],
      ['failing', 4],
    ]);
  });
});

describe('progress', () => {
  it('is shown to those who watch, and gone afterwards', async () => {
    const { run, drawn, output } = world(true);
    await run('plain', '--json');
    expect(drawn).toEqual([
      '\r\u001b[Kplain  ━━━━━━━━━━━━────────────  50 %  1.0 k events/s  1 s left',
      '\r\u001b[K',
    ]);
    expect(JSON.parse(output())).toMatchObject({ scenario: 'plain' });
  });

  it('is gone when something fails, too', async () => {
    const { only, drawn } = world(true);
    const broken = { name: 'broken', claim: '', run: () => expect.unreachable('a fault') };
    await expect(only(broken)).rejects.toThrow('a fault');
    expect(drawn).toEqual([]);
  });
});
