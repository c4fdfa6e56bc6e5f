import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { FAULTS } from './catalogue.js';
import type { Fault } from './fault.js';
import { writePage } from './page.js';
import { describeMachine, printOutcomes, readMachine } from './report.js';
import { type Outcome, runFaults } from './run-faults.js';
import { strikeAll } from './stage.js';

const HELP = `npm run -s faults -- [options]

Does to real processes what a bad day does, and says which promises hold.

  --only a,b    these faults
  --list        which there are
  --json        one object with the machine and all that was found
  --save FILE   the same into a file, besides
  --from FILE   what is not run now is taken from there, as it was saved on this machine
  --write       the table into docs/faults.md
  --help

Progress is on standard error. The exit code is 1 when a promise does not hold, 2 when it cannot be tried.
Some faults need root (network namespaces, a tiny disk) or libfaketime: without them their rows say so.`;

const PAGE = 'docs/faults.md';

function chosen(only: string | undefined): readonly Fault[] {
  if (only === undefined) return FAULTS;
  return only.split(',').map((name) => {
    const found = FAULTS.find((fault) => fault.name === name);
    if (found === undefined) throw new Error(`there is no fault "${name}"; --list names them`);
    return found;
  });
}

/** In the order of the catalogue; what was run just now goes before what was saved. */
function withEarlier(outcomes: readonly Outcome[], from: string | undefined): readonly Outcome[] {
  if (from === undefined) return outcomes;
  const saved = (JSON.parse(readFileSync(from, 'utf8')) as { outcomes: Outcome[] }).outcomes;
  return FAULTS.flatMap(({ name }) => {
    const found = [...outcomes, ...saved].find(({ fault }) => fault === name);
    if (found === undefined) throw new Error(`${from} knows nothing of ${name}`);
    return [found];
  });
}

/** What a fault has started and stopped is not left behind. */
async function breakOff(signal: NodeJS.Signals): Promise<void> {
  console.error(`faults: ${signal}: ending what was started`);
  await strikeAll();
  process.exit(130);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      list: { type: 'boolean' },
      json: { type: 'boolean' },
      save: { type: 'string' },
      from: { type: 'string' },
      write: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return console.log(HELP);
  const faults = chosen(values.only);
  if (values.list) {
    for (const { name, what } of faults) console.log(`${name.padEnd(28)} ${what}`);
    return;
  }
  if (values.write && values.only !== undefined && values.from === undefined)
    throw new Error('--write needs all faults: not --only some, unless --from knows the others');
  const machine = readMachine();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void breakOff(signal));
  const outcomes = withEarlier(await runFaults(faults), values.from);
  const found = JSON.stringify({ machine, outcomes }, null, 2);
  if (values.save !== undefined) writeFileSync(values.save, `${found}\n`);
  if (values.write) writePage(PAGE, machine, outcomes);
  if (values.json) console.log(found);
  else {
    console.log(describeMachine(machine));
    printOutcomes(outcomes);
  }
  if (outcomes.some(({ verdict }) => verdict === 'broken')) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
// Whatever a fault has left open must not keep the command from ending.
setTimeout(() => process.exit(), 1_000).unref();
