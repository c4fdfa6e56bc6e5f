import { nearestWord } from '../config/index.js';
import { holds, summarize } from '../simulations/report/checks.js';
import type { Simulations } from '../simulations/simulations.js';
import type { Result } from '../simulator/report/result.js';
import type { Scenario, ScenarioOptions, ScenarioRun } from '../simulator/scenarios/scenario.js';
import { checkWritable, writeFigures } from './figure-file.js';
import { fleetOf, isFile } from './fleets.js';
import { ProgressLine } from './report/progress.js';
import { renderCheckLines, renderResult } from './report/result-text.js';
import { listScenarios } from './report/scenario-list.js';
import { type OneRequest, parseSimulateArgs, SIMULATE_HELP } from './simulate-args.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

/** Returns the exit code. */
export async function simulate(
  args: string[],
  terminal: Terminal,
  { scenarios, fleets }: Simulations,
): Promise<number> {
  const request = parseSimulateArgs(args);
  switch (request?.kind) {
    case undefined:
      throw new UsageError(`simulate needs a scenario:\n\n${listScenarios(scenarios)}`);
    case 'help':
      terminal.print(SIMULATE_HELP);
      return 0;
    case 'list':
      terminal.print(listScenarios(scenarios));
      return 0;
    case 'all':
      return runAll(scenarios, request, terminal);
    case 'one': {
      const { subject } = request;
      const scenario = isFile(subject) ? await fleetOf(subject, fleets) : findScenario(subject, scenarios);
      return runOne(scenario, request, terminal);
    }
  }
}

function findScenario(name: string, scenarios: readonly Scenario[]): Scenario {
  const scenario = scenarios.find((candidate) => candidate.name === name);
  if (scenario !== undefined) return scenario;
  const names = scenarios.map((known) => known.name);
  const nearest = nearestWord(name, names);
  const hint =
    nearest === undefined ? `There are:\n\n${listScenarios(scenarios)}` : `Did you mean ${nearest}?`;
  throw new UsageError(`there is no scenario "${name}". ${hint}`);
}

async function runOne(scenario: Scenario, request: OneRequest, terminal: Terminal): Promise<number> {
  const { seed, isJson, policies, svg } = request;
  if (policies !== undefined && scenario.policies === undefined)
    throw new UsageError(`${scenario.name} does not compare policies: --policy is not for it`);
  if (svg !== undefined) checkWritable(svg);
  const { result, figures } = watch(scenario, { seed, ...(policies && { policies }) }, terminal);
  terminal.print(isJson ? toJson(result) : renderResult(result, scenario.claim, terminal.width));
  if (svg !== undefined) {
    if (figures.length === 0) throw new UsageError(`${scenario.name} has no figures: --svg is not for it`);
    await writeFigures(svg, figures);
    terminal.note(`wrote ${svg}`);
  }
  return holds(result) ? 0 : 1;
}

/** One after the other; which hold, how long they took, and what does not hold. */
function runAll(
  scenarios: readonly Scenario[],
  { seed, isJson }: { seed: number; isJson: boolean },
  terminal: Terminal,
): number {
  const width = Math.max(...scenarios.map(({ name }) => name.length));
  const results: Result[] = [];
  for (const scenario of scenarios) {
    const startMs = terminal.nowMs();
    const { result } = watch(scenario, { seed }, terminal);
    const seconds = ((terminal.nowMs() - startMs) / 1_000).toFixed(2).padStart(7);
    results.push(result);
    if (isJson) continue;
    terminal.print(`${holds(result) ? '✓' : '✗'} ${scenario.name.padEnd(width)} ${seconds} s`);
    for (const line of renderCheckLines(result.checks.filter((check) => !check.holds)))
      terminal.print(`    ${line}`);
  }
  if (isJson) terminal.print(toJson(results));
  else
    terminal.print(
      summarize(
        results.map((result) => ({ holds: holds(result) })),
        'scenario',
      ),
    );
  return results.every(holds) ? 0 : 1;
}

/** Runs a scenario under the eyes of whoever sits before the terminal. */
function watch(scenario: Scenario, options: ScenarioOptions, { progress }: Terminal): ScenarioRun {
  if (progress === undefined) return scenario.run(options);
  const line = new ProgressLine(scenario.name, progress);
  try {
    return scenario.run({ ...options, onProgress: (now) => line.update(now) });
  } finally {
    line.clear();
  }
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
