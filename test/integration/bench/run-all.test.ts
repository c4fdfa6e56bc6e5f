import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BenchName, factsOf } from '../../../bench/catalogue.js';
import { COMMITTED, pathOf, readResult } from '../../../bench/record/result.js';
import { type RunPlan, runAll } from '../../../bench/record/run-all.js';
import { root } from '../../tidy/sources.js';
import { sampleResult } from './sample-result.js';

const CHILD = join(root, 'test/integration/bench/bench-child.mjs');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plimsoll-bench-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Real processes in place of benches. */
function planOf(hows: Partial<Record<BenchName, string>>, given: Partial<RunPlan> = {}) {
  const said: string[] = [];
  const plan: RunPlan = {
    root: folder,
    names: Object.keys(hows) as BenchName[],
    flagsOf: () => ({}),
    argsOf: (name) => [
      CHILD,
      hows[name]!,
      join(folder, pathOf(COMMITTED, name)),
      JSON.stringify(sampleResult(name, {})),
    ],
    stdout: 'ignore',
    say: (line) => said.push(line),
    ...given,
  };
  return { plan, said };
}

describe('a run of all benches', () => {
  it('goes on after one that fails, and keeps a result of each', async () => {
    const { plan, said } = planOf({ overload: 'works', proxy: 'fails', grpc: 'breaks', picking: 'works' });
    const results = await runAll(plan);
    expect(results.map(({ bench, failure }) => [bench, failure])).toEqual([
      ['overload', undefined],
      ['proxy', 'nginx missing'],
      ['grpc', 'its process ended by SIGKILL'],
      ['picking', undefined],
    ]);
    for (const result of results) expect(readResult(folder, COMMITTED, result.bench)).toEqual(result);
    const seconds = plan.names.reduce((sum, name) => sum + factsOf(name).seconds, 0);
    expect(said[0]).toContain(`4 benches, about ${Math.round(seconds / 60)} min`);
    expect(said).toContain('proxy could not run: nginx missing');
  });

  it('tries again what breaks once', async () => {
    const { plan, said } = planOf({ picking: 'breaks once' });
    expect((await runAll(plan))[0]!.failure).toBeUndefined();
    expect(said.join('\n')).toContain(
      'picking could not run, is tried again: its process ended by exit code 3',
    );
  });

  it('does not take an old result for a new one', async () => {
    const { plan } = planOf({ picking: 'works' });
    await runAll(plan);
    const broken = planOf({ picking: 'breaks' });
    expect((await runAll(broken.plan))[0]!.failure).toBe('its process ended by SIGKILL');
  });

  it('goes on when one has written its result and does not end', async () => {
    const { plan, said } = planOf({ picking: 'lingers', subsetting: 'works' }, { lingerMs: 1_000 });
    const results = await runAll(plan);
    expect(results.map(({ failure }) => failure)).toEqual(['a gateway did not start', undefined]);
    expect(said).toContain('picking could not run, is tried again: a gateway did not start');
  });

  it('ends one that hangs, and all that it has started', async () => {
    const { plan } = planOf({ picking: 'hangs' }, { limitMsOf: () => 1_500 });
    expect((await runAll(plan))[0]!.failure).toBe('its process ended by us, after 1.5 s');
    const pid = Number(readFileSync(join(folder, `${pathOf(COMMITTED, 'picking')}.pid`), 'utf8'));
    expect(isRunning(pid)).toBe(false);
  });
});

/** A process that has ended, but that nobody has asked how, is still known. */
function isRunning(pid: number): boolean {
  const status = `/proc/${pid}/status`;
  return existsSync(status) && !/^State:\s*[ZX]/m.test(readFileSync(status, 'utf8'));
}

/** Benches are built first, if they are not. */
const PATIENCE_MS = 300_000;

describe('npm run bench', { timeout: PATIENCE_MS }, () => {
  const bench = (...args: string[]) =>
    spawnSync(process.execPath, ['scripts/bench.mjs', ...args], {
      cwd: root,
      encoding: 'utf8',
      timeout: PATIENCE_MS,
    });

  it('measures one that is named, and prints what it found as JSON', () => {
    const { status, stdout } = bench('subsetting', '--json');
    expect([0, 1]).toContain(status);
    const { machine, benches } = JSON.parse(stdout);
    expect(machine).toEqual({ node: process.version, cpu: expect.any(String), cores: expect.any(Number) });
    expect(benches).toMatchObject([{ bench: 'subsetting' }]);
    expect(benches[0].rows).toHaveLength(6);
    expect(benches[0].checks).toHaveLength(6);
  });

  it('says what it does not know', () => {
    const { status, stderr } = bench('snubbing');
    expect(status).toBe(2);
    expect(stderr).toContain('There is no bench "snubbing".');
    expect(stderr).toContain('--write');
  });
});
