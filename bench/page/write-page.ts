import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { drawFigures } from '../../src/cli/figures/draw.js';
import { FIGURE_WIDTH } from '../../src/simulations/figures/layout.js';
import { ON_DARK, ON_WHITE } from '../../src/simulations/figures/palette.js';
import { BENCH_NAMES, type BenchName } from '../catalogue.js';
import { type BenchResult, COMMITTED, isShortened, type Places, readResults } from '../record/result.js';
import { figuresOf } from './figures.js';
import { headlinesOf } from './headlines.js';
import { benchPage } from './page.js';

const THEMES = { light: ON_WHITE, dark: ON_DARK } as const;

/** All files that results give, by their path from the root: nothing else decides what is in them. */
export function benchPageFiles(root: string, places: Places): Map<string, string> {
  const results = readResults(root, places);
  if (places === COMMITTED) refuseShortened(results);
  const figures = figuresOf(results);
  const images = relative(dirname(places.page), places.images);
  const files = new Map([[places.page, benchPage({ results, methods: methodsOf(root), figures, images })]]);
  for (const { name, figure } of figures)
    for (const [theme, palette] of Object.entries(THEMES))
      files.set(
        join(places.images, `bench-${name}-${theme}.svg`),
        drawFigures([figure], { width: FIGURE_WIDTH, palette }),
      );
  if (places === COMMITTED)
    files.set(README, withHeadlines(readFileSync(join(root, README), 'utf8'), results));
  return files;
}

/** Writes them, takes away figures that there is no more data for, and says what it wrote. */
export function writeBenchPage(root: string, places: Places): string[] {
  const files = benchPageFiles(root, places);
  for (const path of figureFiles(root, places)) if (!files.has(path)) rmSync(join(root, path));
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return [...files.keys()];
}

/** Those of benches that are there now. */
export function figureFiles(root: string, { images }: Places): string[] {
  const folder = join(root, images);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => /^bench-.*\.svg$/.test(name)).map((name) => join(images, name));
}

function refuseShortened(results: readonly BenchResult[]): void {
  const shortened = results.filter(isShortened).map(({ bench }) => bench);
  if (shortened.length > 0)
    throw new Error(
      `The page is of whole runs, and ${shortened.join(', ')} in ${COMMITTED.results} ${shortened.length > 1 ? 'were' : 'was'} shortened.`,
    );
}

export function methodPath(name: BenchName): string {
  return `bench/${name}.md`;
}

function methodsOf(root: string): Record<BenchName, string> {
  const methods = BENCH_NAMES.map((name) => [name, readFileSync(join(root, methodPath(name)), 'utf8')]);
  return Object.fromEntries(methods) as Record<BenchName, string>;
}

const README = 'README.md';
const BETWEEN = /(<!-- bench: .*? -->\n)[\s\S]*?(<!-- \/bench -->)/;

/** The same sentences as on the page. */
function withHeadlines(readme: string, results: readonly BenchResult[]): string {
  if (!BETWEEN.test(readme)) throw new Error(`${README} has no place for what benches say`);
  const lines = headlinesOf(results).map((line) => `- ${line}\n`);
  return readme.replace(BETWEEN, (_, begin: string, end: string) => `${begin}${lines.join('')}${end}`);
}
