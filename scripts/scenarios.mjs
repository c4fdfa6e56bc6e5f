// Built-in scenarios by the command line: those that no test runs whole. A step of `npm test`; `plimsoll simulate --all` has all.
import { spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { root } from './lib/project.mjs';

const program = `${root}/dist/cli/main.js`;

/**
 * Of these tests run a part (src/simulator/scenarios/*.test.ts); all others are run whole there, with the same seed, and their
 * claims are checked. The longest comes first: begun last, it would be waited for alone.
 */
const UNTESTED = ['quota-fleet', 'prequal-rules', 'prequal-ramp'];

const { stdout: list, status } = spawnSync(process.execPath, [program, 'simulate', '--list'], {
  encoding: 'utf8',
});
const known = list.split('\n').flatMap((line) => /^\S+/.exec(line)?.[0] ?? []);
if (status !== 0 || known.length === 0) throw new Error('plimsoll simulate --list names no scenarios');
const unknown = UNTESTED.filter((name) => !known.includes(name));
if (unknown.length > 0) throw new Error(`plimsoll simulate --list does not know ${unknown.join(', ')}`);
const names = [...UNTESTED];

/** What it printed is shown only when a claim does not hold. */
function runScenario(name) {
  return new Promise((resolve) => {
    const startedMs = performance.now();
    const child = spawn(process.execPath, [program, 'simulate', name], { stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
    child.on('close', (code) => {
      const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
      console.log(`${code === 0 ? '✓' : '✗'} ${name} ${seconds} s`);
      if (code !== 0) console.error(printed);
      resolve(code === 0);
    });
  });
}

const results = [];
async function work() {
  for (let name = names.shift(); name !== undefined; name = names.shift())
    results.push(await runScenario(name));
}

await Promise.all(Array.from({ length: availableParallelism() }, work));
const failed = results.filter((isPassed) => !isPassed).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
