import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { FAULTS } from './catalogue.js';
import type { Fault } from './fault.js';
import { writePage } from './page.js';
import { describeMachine, printOutcomes, readMachine } from './report.js';
import { runFaults } from './run-faults.js';
import { strikeAll } from './stage.js';

const HELP = `npm run -s faults -- [options]

Does to real processes what a bad day does, and says which promises hold.

  --only a,b    these faults
  --list        which there are
  --json        one object with the machine and all that was found
  --save FILE   the same into a file, besides
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
  // A table of rows from several runs would be one of the best of them.
  if (values.write && values.only !== undefined)
    throw new Error('--write needs one run of all faults, not --only some');
  const machine = readMachine();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void breakOff(signal));
  const outcomes = await runFaults(faults);
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
