import type { Scenario } from '../../simulator/scenarios/scenario.js';

/** Name, claim, and below it the policies that it compares. */
export function listScenarios(scenarios: readonly Scenario[]): string {
  const width = Math.max(0, ...scenarios.map(({ name }) => name.length));
  return scenarios
    .flatMap(({ name, claim, policies = [] }) => [
      `${name.padEnd(width)}  ${claim}`,
      ...(policies.length === 0 ? [] : [`${' '.repeat(width)}  policies: ${policies.join(', ')}`]),
    ])
    .join('\n');
}
