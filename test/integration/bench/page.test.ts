import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { BENCH_NAMES, factsOf } from '../../../bench/catalogue.js';
import { figuresOf } from '../../../bench/page/figures.js';
import { benchPage, showBound } from '../../../bench/page/page.js';
import { benchPageFiles, figureFiles, methodPath } from '../../../bench/page/write-page.js';
import { type BenchResult, COMMITTED, readResults, writeResult } from '../../../bench/record/result.js';
import { root } from '../../tidy/sources.js';
import { checksInCode, isInCode, partsOf } from './code-bounds.js';
import { sampleResult } from './sample-result.js';

const textAt = (path: string) => readFileSync(join(root, path), 'utf8');
const results = readResults(root, COMMITTED);
const manifest = JSON.parse(textAt('package.json'));

describe('the page about benches', () => {
  it('is what the results give, with its figures and the sentences in the README', () => {
    const files = benchPageFiles(root, COMMITTED);
    // Say what to do, instead of a thousand lines of difference.
    const stale = [...files].filter(([path, text]) => !existsSync(join(root, path)) || textAt(path) !== text);
    expect(
      stale.map(([path]) => path),
      'npm run bench -- --page',
    ).toEqual([]);
    const drawn = [...files.keys()].filter((path) => path.endsWith('.svg'));
    expect(figureFiles(root, COMMITTED).sort()).toEqual(drawn.sort());
  });

  it('is the same every time', () => {
    expect(benchPageFiles(root, COMMITTED)).toEqual(benchPageFiles(root, COMMITTED));
  });

  it('has small figures with units, for light and for dark', () => {
    for (const path of figureFiles(root, COMMITTED)) {
      const svg = textAt(path);
      expect(svg.length, path).toBeLessThan(40_000);
      expect(svg, path).toContain(path.endsWith('-dark.svg') ? '#141b22' : '#ffffff');
    }
    for (const { figure } of figuresOf(results))
      for (const panel of figure.panels) expect(panel.y.label).not.toBe('');
  });

  it('has a method and a heading for every bench', () => {
    for (const name of BENCH_NAMES) {
      const [heading, ...method] = textAt(methodPath(name)).trim().split('\n');
      expect(heading, name).toMatch(/^# \w/);
      expect(method.join(' ').length, name).toBeGreaterThan(80);
    }
  });

  it('knows the packages that it wants versions of', () => {
    const known = { ...manifest.dependencies, ...manifest.devDependencies };
    const unknown = BENCH_NAMES.flatMap((name) => factsOf(name).packages).filter((name) => !(name in known));
    expect(unknown).toEqual([]);
  });

  it('shows every check, and says which do not hold', () => {
    const page = textAt(COMMITTED.page);
    const checks = results.flatMap(({ reports }) => reports.flatMap((report) => report.checks));
    expect(checks.length).toBeGreaterThan(20);
    for (const { bound } of checks) expect(page).toContain(`| ${showBound(bound)} |`);
    const broken = checks.filter(({ holds }) => !holds).length;
    expect(page).toContain(`${checks.length - broken} of ${checks.length} hold`);
    expect(page.match(/does not hold\*\* \|/g)?.length ?? 0).toBe(broken);
  });
});

describe('bounds in the results', () => {
  const measured = results
    .filter(({ failure }) => failure === undefined)
    .map((result) => [result.bench, result] as const);

  it.each(measured)('of %s are those of the code', (name, { reports }) => {
    const inCode = checksInCode(name);
    const strangers = reports
      .flatMap(({ checks }) => checks)
      .filter((check) => !isInCode(inCode, check))
      .map((check) => `${check.name}: ${check.bound}`);
    expect(strangers, `the code has changed since: npm run bench -- ${name} --write, then -- --page`).toEqual(
      [],
    );
  });

  it.each(measured)('of %s hold, or do not, as their values say', (_, { reports }) => {
    for (const { name, bound, value: found, holds } of reports.flatMap(({ checks }) => checks)) {
      const { operator, value } = partsOf(bound);
      // Values are rounded: right at the bound either may be true.
      if (Math.abs(found - value) <= 0.001 * Math.abs(value)) continue;
      const says =
        operator === '>='
          ? found >= value
          : operator === '<='
            ? found <= value
            : Math.abs(found - 1) <= value;
      expect(says, name).toBe(holds);
    }
  });
});

describe('bounds in the code', () => {
  it.each(BENCH_NAMES)('are found in %s', (name) => {
    expect(checksInCode(name).length).toBeGreaterThan(0);
  });

  it.each([
    ['overload', 'plimsoll at 10×: goodput of its own peak', '>= 0.87', '>= 0.5'],
    ['overload', 'CPU exact: requests per second of CPU not accounted', '>= 0.7', '>= 0.65'],
    ['overload', 'floods in which something else took part', '<= 0', '<= 1'],
    ['ratelimit', '512 callers: decisions/s to rate-limiter-flexible', '>= 1.5', '<= 1.5'],
    ['subsetting', 'random, 10000 backends × one client: ms', '<= 5', '<= 7'],
    ['accounting', 'exact, /small: accounted of the truth', '1 ± 0.05', '1 ± 0.5'],
    ['picking', 'prequal, 100 backends: bytes allocated per pick', '<= 48, the pick itself', '<= 56'],
  ] as const)('of %s are told from others: %s', (bench, name, bound, other) => {
    const inCode = checksInCode(bench);
    expect(isInCode(inCode, { name, bound })).toBe(true);
    expect(isInCode(inCode, { name, bound: other })).toBe(false);
    expect(isInCode(inCode, { name: `${name}, of another bench`, bound })).toBe(false);
  });
});

describe('a page of other results', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-bench-page-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const methods = Object.fromEntries(BENCH_NAMES.map((name) => [name, `# ${name}\n\nAs it does.`]));
  const pageOf = (given: readonly BenchResult[]) =>
    benchPage({ results: given, methods: methods as never, figures: figuresOf(given), images: 'images' });

  it('has a place for what was not measured, and for what could not run', () => {
    const page = pageOf([sampleResult('proxy', { failure: 'nginx missing', reports: [] })]);
    expect(page).toContain('Not measured yet: `npm run bench -- overload`');
    expect(page).toContain('**Could not run** at abc1234: nginx missing');
  });

  it('marks what does not hold, with why, and what was shortened', () => {
    const checks = [
      { name: 'a | b', value: 0.5, bound: '>= 1000000', holds: false, why: 'The other one was faster.' },
      { name: 'c', value: 2, bound: '<= 3', holds: true, why: 'Not to be seen.' },
    ];
    const page = pageOf([
      sampleResult('picking', { flags: { runs: '1' }, reports: [{ bench: 'picking', rows: [], checks }] }),
    ]);
    expect(page).toContain(
      '| a \\| b<br>The other one was faster. | 0.500 | ≥ 1 000 000 | **✗ does not hold** |',
    );
    expect(page).toContain('| c | 2 | ≤ 3 | ✓ holds |');
    expect(page).toContain('1 of 2 hold. These do not:');
    expect(page).not.toContain('Not to be seen.');
    expect(page).toContain('shortened ({"runs":"1"})');
  });

  it('gives ratios beside what others do, and no latency of no answers', () => {
    const flood = { goodput: 100, share: 0.5, p50Ms: 1, p99Ms: 4, refusedPerSecond: 0, refusalP50Ms: 0 };
    const page = pageOf([
      sampleResult('grpc', {
        reports: [
          {
            bench: 'grpc: unary, 2 ms of CPU',
            rows: [
              { server: 'plimsoll', load: '1×', ...flood },
              { server: 'plimsoll', load: '10×', ...flood },
              { server: 'grpc-js', load: '1×', ...flood, goodput: 200 },
              { server: 'grpc-js', load: '10×', ...flood, goodput: 0, p99Ms: 0, p50Ms: 0 },
            ],
            checks: [],
          },
        ],
      }),
    ]);
    expect(page).toContain('good answers/s, to grpc-js');
    expect(page).toMatch(/\| plimsoll \| 1× \| 100 \|.*\| 0\.5\d* \| 1\.?0* \|/);
    expect(page).toMatch(/\| grpc-js \| 10× \| 0 \| 0\.5\d* \| – \| – \| – \|/);
  });

  it('says in short what is measured, against others of the same run', () => {
    const report = (bench: string, rows: object[]) => ({ bench, rows, checks: [] });
    const slow = Object.entries({ 'balanced-pool': 800, weighted: 50, prequal: 40 });
    const page = pageOf([
      sampleResult('client', {
        reports: [
          report(
            'client: one of four',
            slow.map(([sender, ms]) => ({ sender, 'p99 ms': ms })),
          ),
        ],
      }),
      sampleResult('proxy', {
        reports: [
          report('proxy: requests a second', [
            { proxy: 'plimsoll', 'requests/s': 1_500 },
            { proxy: 'nginx', 'requests/s': 6_000 },
            { proxy: 'slow', 'requests/s': 100 },
            { proxy: 'fast', 'requests/s': 1_000 },
          ]),
        ],
      }),
    ]);
    expect(page).toContain("p99 by weights is 6.3 % of that by undici's `BalancedPool`, and by Prequal 5 %.");
    expect(page).toContain(
      'passes on 1.5× as many requests a second as the fastest other proxy on Node here, and 25 % of',
    );
  });

  it('is refused of shortened runs where whole ones should be', () => {
    const path = writeResult(folder, sampleResult('picking', {}));
    expect(path).toBe('bench/results/picking.json');
    expect(writeResult(folder, sampleResult('picking', { flags: { quick: 'yes' } }))).toBe(
      'artefacts/bench/picking.json',
    );
    const shortened = JSON.stringify(sampleResult('picking', { flags: { quick: 'yes' } }));
    writeFileSync(join(folder, path), shortened);
    expect(() => benchPageFiles(folder, COMMITTED)).toThrow('picking in bench/results was shortened');
  });
});
