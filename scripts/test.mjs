// `npm test`: everything that has to hold, in the order in which it fails fastest. `npm test -- unit` runs one step.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { artefactsOf } from './lib/artefacts.mjs';
import { ensureChromium } from './lib/chromium.mjs';
import {
  bin,
  ensureBuilt,
  ensureInstalled,
  ensureToolsBuilt,
  root,
  statusOf,
  tryRun,
} from './lib/project.mjs';
import { ensureRedis } from './lib/redis.mjs';

const node = (...args) => tryRun(process.execPath, args);
const tool = (packageName, name, ...args) => node(bin(packageName, name), ...args);

/** Runs Node beside others, for two minutes at most; gives the exit code. */
const nodeBeside = (args, options) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: 'inherit',
      timeout: 120_000,
      ...options,
    });
    child.on('error', ({ message }) => {
      console.error(`${args[0]} could not be started: ${message}`);
      resolve(1);
    });
    child.on('exit', (code, signal) => {
      if (signal) console.error(`${args[0]} was ended by ${signal}`);
      resolve(code ?? 1);
    });
  });

const ATTW = '@arethetypeswrong/cli';
const ATTW_ARGS = ['--pack', '.', '--profile', 'esm-only', '--format', 'table-flipped'];

/** Each a promise with a name; a step returns an exit code, or a promise of one. */
const steps = {
  // Biome's launcher is a script of its own that runs the binary of this platform.
  'format and lint': () => tool('@biomejs/biome', 'biome', 'ci', '--error-on-warnings', '.'),
  build: () => ensureBuilt() ?? 0,
  // A compiler uses one core: side by side they take half the time.
  types: () =>
    worstOf(
      ['tsconfig.json', 'tsconfig.portable.json', 'tsconfig.dashboard.json'],
      (config) => nodeBeside([bin('typescript', 'tsc'), '-p', config]),
      2,
    ),
  // The site: every export is told of, every link leads somewhere.
  docs: () => nodeBeside(['scripts/docs.mjs']),
  unit: () => tool('vitest', 'vitest', 'run', '--project', 'unit', '--coverage'),
  models: () => tool('vitest', 'vitest', 'run', '--project', 'models'),
  simulations: () => tool('vitest', 'vitest', 'run', '--project', 'simulations'),
  scenarios: () => ensureBuilt() ?? node('scripts/scenarios.mjs'),
  // What counts in Redis is tried on a real one.
  integration: () => ensureRedis() || tool('vitest', 'vitest', 'run', '--project', 'integration*'),
  // What a visitor sees, in a real browser.
  e2e: () => ensureChromium() || runE2e(),
  'package boundary': async () =>
    (await nodeBeside([bin('publint'), 'run', '--strict', '.'])) ||
    nodeBeside([bin(ATTW, 'attw'), ...ATTW_ARGS]),
  examples: () => ensureRedis() || runExamples(),
};

/** Where the first of two leaves a core idle, or waits, the second runs beside it. */
const PAIRS = [
  ['types', 'docs'],
  ['package boundary', 'examples'],
];

/** Its screenshots are kept, whether it passes or not. */
function runE2e() {
  const artefacts = artefactsOf('e2e');
  artefacts.clear();
  // One file at a time: each has a fleet of its own on this machine, and side by side they take as long.
  const args = [bin('vitest', 'vitest'), 'run', '--project', 'e2e', '--maxWorkers', '1'];
  const status = tryRun(process.execPath, args, { env: artefacts.environment });
  artefacts.list();
  return status;
}

/** Most of the time of an example is waiting: for load to come, for a window to pass. */
const EXAMPLES_AT_ONCE = 3;

function runExamples() {
  ensureToolsBuilt();
  const examples = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.ts'));
  return worstOf(
    examples,
    (example) => {
      console.error(`example: ${example}`);
      const path = join(root, '.build/examples', example.replace(/\.ts$/, '.js'));
      return nodeBeside([path], { stdio: ['ignore', 'ignore', 'inherit'] });
    },
    EXAMPLES_AT_ONCE,
  );
}

/** Does this with each, several at once; the largest of the exit codes. */
async function worstOf(items, doWith, atOnce) {
  const left = [...items];
  let worst = 0;
  const work = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) {
      const status = await doWith(item);
      if (status !== 0) console.error(`${item}: exit code ${status}`);
      worst = Math.max(worst, status);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return worst;
}

/** A step that throws because a command failed has failed; the others still run, and the summary is printed. */
async function attempt(step) {
  try {
    return await step();
  } catch (error) {
    return statusOf(error);
  }
}

async function timed(name) {
  const startedMs = performance.now();
  const status = await attempt(steps[name]);
  return { name, isPassed: status === 0, seconds: (performance.now() - startedMs) / 1_000 };
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(steps, name));
if (unknown.length > 0) {
  console.error(`There is no step "${unknown[0]}". Steps: ${Object.keys(steps).join(' · ')}`);
  process.exit(2);
}

if ((await attempt(ensureInstalled)) !== undefined) process.exit(1);
const names = Object.keys(steps).filter((name) => wanted.length === 0 || wanted.includes(name));
const results = [];
while (names.length > 0) {
  const pair = PAIRS.find((each) => each.every((name, i) => names[i] === name));
  const next = names.splice(0, pair?.length ?? 1);
  console.error(`\n=== ${next.join(', ')}`);
  results.push(...(await Promise.all(next.map(timed))));
}

console.log('');
for (const { name, isPassed, seconds } of results) {
  console.log(`${isPassed ? '✓' : '✗'} ${name.padEnd(18)} ${seconds.toFixed(1).padStart(6)} s`);
}
const failed = results.filter((result) => !result.isPassed).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
