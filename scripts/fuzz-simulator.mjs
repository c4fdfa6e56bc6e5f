// `npm run fuzz:simulator -- [--seeds 1000] [--from 0] [--seed 17]`: random fleets and faults, and what must hold of them.
import { parseArgs } from 'node:util';
import { ensureBuilt, root } from './lib/project.mjs';

const PROGRESS_MS = 500;

ensureBuilt();
const { fuzzFleet, describeOutcome } = await import(`file://${root}/dist/simulator/fuzz/index.js`);

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '0' },
    // Exactly this one, with the fleet it draws.
    seed: { type: 'string' },
  },
});

if (values.seed !== undefined) one(number('seed', values.seed));
else many(number('from', values.from), number('seeds', values.seeds));

function one(seed) {
  const outcome = fuzzFleet(seed);
  console.log(JSON.stringify(outcome.fleet, null, 2));
  console.log(`seed ${seed}: ${outcome.requests} requests, ${outcome.events} events`);
  report(outcome);
}

function many(from, seeds) {
  let requests = 0;
  let toldMs = 0;
  for (let done = 0; done < seeds; done++) {
    // Before it runs: one that never ends should be heard of, too.
    if (!process.stderr.isTTY && done % 50 === 0) console.error(`seeds from ${from + done} on …`);
    const outcome = fuzzFleet(from + done);
    requests += outcome.requests;
    if (Date.now() - toldMs > PROGRESS_MS || done === seeds - 1) {
      toldMs = Date.now();
      progress(`${done + 1} of ${seeds} fleets, ${requests} requests, last seed ${from + done}`);
    }
    if (report(outcome)) return;
  }
  if (process.stderr.isTTY) process.stderr.write('\n');
  console.log(`${seeds} fleets from seed ${from}: all invariants hold, ${requests} requests`);
}

/** True when something was found. */
function report(outcome) {
  if (outcome.violations.length === 0) return false;
  if (process.stderr.isTTY) process.stderr.write('\n');
  console.error(describeOutcome(outcome));
  process.exitCode = 1;
  return true;
}

function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r${text}`);
}

function number(name, text) {
  if (!/^\d+$/.test(text)) {
    console.error(`--${name} must be a whole number, got ${JSON.stringify(text)}`);
    process.exit(1);
  }
  return Number(text);
}
