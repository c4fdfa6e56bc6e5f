import { parseArgs } from 'node:util';
import { type SubsettingTable, subsettingTable } from '../simulator/index.js';
import { renderSubsettingTable } from './subsetting-report.js';
import { UsageError } from './usage-error.js';

interface Scenario {
  readonly claim: string;
  run(seed: number): SubsettingTable;
  render(result: SubsettingTable): string;
}

const SCENARIOS: Record<string, Scenario> = {
  'subsetting-table': {
    claim: 'three ways of choosing a subset: balance, connections moved, restarts (SRE ch. 20)',
    run: (seed) => subsettingTable({ seed }),
    render: renderSubsettingTable,
  },
};

export const SIMULATE_HELP = `plimsoll simulate <scenario> [--seed N] [--json]
plimsoll simulate --list

Runs the decision code that ships on a virtual clock, and checks the scenario's claims.

  --seed N   another draw (default 0); the same seed gives the same output
  --json     one object: { scenario, seed, options, rows, checks }
  --list     the scenarios

The exit code is 1 when a check does not hold, 2 when the command is wrong.`;

export function listScenarios(): string {
  return Object.entries(SCENARIOS)
    .map(([name, { claim }]) => `${name}  ${claim}`)
    .join('\n');
}

/** Returns the exit code. */
export function simulate(args: string[], print: (text: string) => void): number {
  const { values, positionals } = parseSimulateArgs(args);
  if (values.help) {
    print(SIMULATE_HELP);
    return 0;
  }
  if (values.list) {
    print(listScenarios());
    return 0;
  }
  const [name, ...others] = positionals;
  if (name === undefined) throw new UsageError(`simulate needs a scenario:\n\n${listScenarios()}`);
  if (others.length > 0)
    throw new UsageError(`simulate takes one scenario, got ${positionals.join(' and ')}`);
  const scenario = Object.hasOwn(SCENARIOS, name) ? SCENARIOS[name]! : undefined;
  if (scenario === undefined)
    throw new UsageError(`there is no scenario "${name}". There are:\n\n${listScenarios()}`);
  const result = scenario.run(parseSeed(values.seed));
  print(values.json ? JSON.stringify(result, null, 2) : scenario.render(result));
  return result.checks.every(({ holds }) => holds) ? 0 : 1;
}

function parseSimulateArgs(args: string[]) {
  return parseArgs({
    args,
    allowPositionals: true,
    options: {
      seed: { type: 'string' },
      json: { type: 'boolean' },
      list: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
}

function parseSeed(text = '0'): number {
  if (!/^\d{1,9}$/.test(text))
    throw new UsageError(`--seed takes a whole number from 0 to 999999999, got "${text}"`);
  return Number(text);
}
