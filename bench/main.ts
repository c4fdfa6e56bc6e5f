import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { benchDecisions } from './decisions.js';
import { benchFleets } from './fleets.js';
import { benchPicking } from './picking.js';
import { printReport, type Report } from './report.js';
import { benchSimulator } from './simulator.js';
import { benchSubsetting } from './subsetting.js';

const BENCHES: Record<string, () => Report> = {
  decisions: benchDecisions,
  fleets: benchFleets,
  picking: benchPicking,
  simulator: benchSimulator,
  subsetting: benchSubsetting,
};

const HELP = `npm run -s bench -- [name …] [--json]

  ${Object.keys(BENCHES).join('\n  ')}

Without a name all of them run. --json prints one object with rows and checks.
The exit code is 1 when a check does not hold.`;

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    console.log(HELP);
    return;
  }
  const unknown = positionals.find((name) => !Object.hasOwn(BENCHES, name));
  if (unknown !== undefined) {
    console.error(`There is no bench "${unknown}".\n\n${HELP}`);
    process.exitCode = 2;
    return;
  }
  const names = positionals.length > 0 ? positionals : Object.keys(BENCHES);
  const machine = { node: process.version, cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length };
  const reports = names.map((name) => BENCHES[name]!());
  if (values.json) {
    console.log(JSON.stringify({ machine, benches: reports }, null, 2));
  } else {
    console.log(`Node ${machine.node}, ${machine.cores} × ${machine.cpu}`);
    for (const report of reports) printReport(report);
  }
  if (reports.some(({ checks }) => checks.some(({ holds }) => !holds))) process.exitCode = 1;
}

try {
  main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
