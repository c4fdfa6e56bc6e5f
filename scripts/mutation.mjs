// `npm run mutation [-- src/core/picking …]`: changes the decisions in small ways, one at a time, and counts the changes that no
// test notices. A folder, a file of one or lines of a file (…/weighted.ts:20-40); all folders of src/core unless told.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { ensureInstalled, root } from './lib/project.mjs';
import { scoreOf, tally, withScores } from './mutation/scores.mjs';

const CORE = 'src/core';
const PAGE = join(root, 'docs/mutation.md');
/** Below this a folder's tests have holes that are worth a look. */
const BOUND = 85;

process.chdir(root);
ensureInstalled();
// It takes both cores for minutes: whatever else runs on this machine goes first.
setPriority(15);
process.env.PLIMSOLL_MUTATION = '1';

/** The files of the core itself, then its folders. */
const parts = [
  CORE,
  ...readdirSync(CORE, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${CORE}/${name}`),
];

/** What is to be changed, and by which tests that has to be noticed. */
function planOf(wanted) {
  const path = wanted.replace(/:[\d:-]+$/, '').replace(/\/$/, '');
  if (!existsSync(path) || !`${path}/`.startsWith(`${CORE}/`)) {
    console.error(`there is no ${JSON.stringify(wanted)} below ${CORE}`);
    process.exit(2);
  }
  if (path.endsWith('.ts')) return { name: wanted, mutate: [wanted], folder: partOf(path) };
  const below = path === CORE ? '*.ts' : '**/*.ts';
  const mutate = [`${path}/${below}`, '!**/*.test.ts', '!**/*.contract.ts'];
  return { name: path, mutate, folder: path };
}

function partOf(path) {
  return path
    .split('/')
    .slice(0, Math.min(3, path.split('/').length - 1))
    .join('/');
}

/** Imported when it is asked for: right after a clone it is not there yet. */
async function mutate({ name, mutate, folder }) {
  const { Stryker } = await import('@stryker-mutator/core');
  process.env.PLIMSOLL_MUTATION_FOLDER = folder;
  const incrementalFile = join('.build/mutation', `${name.replaceAll(/[^\w-]/g, '_')}.json`);
  mkdirSync(dirname(incrementalFile), { recursive: true });
  return new Stryker({ mutate, incrementalFile }).runMutationTest();
}

/** What took too long by the clock is told, too: on a busy machine it may be no fault that was found. */
function isUnnoticed({ status, statusReason }) {
  return (
    status === 'Survived' || status === 'NoCoverage' || (status === 'Timeout' && statusReason === undefined)
  );
}

function describeMutant({ fileName, location, mutatorName, replacement, status }) {
  const { start } = location;
  const text = readFileSync(fileName, 'utf8').split('\n')[start.line - 1];
  const place = `${relative(root, fileName)}:${start.line}:${start.column}`;
  return `${status} ${place} ${mutatorName}\n  - ${text.trim()}\n  + ${replacement.replaceAll(/\s+/g, ' ')}`;
}

const wanted = process.argv.slice(2);
const plans = (wanted.length > 0 ? wanted : parts).map(planOf);
const isWhole = ({ name }) => parts.includes(name);
for (const plan of plans) {
  console.error(`\n=== ${plan.name}`);
  const started = performance.now();
  const mutants = await mutate(plan);
  for (const mutant of mutants) {
    if (isUnnoticed(mutant)) console.log(describeMutant(mutant));
  }
  const counts = tally(mutants);
  const score = scoreOf(counts);
  const seconds = ((performance.now() - started) / 1_000).toFixed(0);
  console.log(
    `${plan.name}: ${score.toFixed(1)} % of ${mutants.length} mutants, in ${seconds} s ${JSON.stringify(counts)}`,
  );
  if (isWhole(plan)) writeFileSync(PAGE, withScores(readFileSync(PAGE, 'utf8'), plan.name, counts));
  if (score < BOUND) process.exitCode = 1;
}
