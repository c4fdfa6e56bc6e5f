import { fleetSchema } from '../../../src/simulator/fleet/index.js';
import type { Result } from '../../../src/simulator/report/result.js';
import { toYaml } from './fleet-yaml.js';
import type { FleetText } from './protocol.js';

/** Options are plain data, and fleets lie near the top: `fleet`, `fleets.small`, `runs[2]`. */
const DEEPEST = 3;

/** Of a scenario that runs very many, the first are enough to begin with. */
const MOST_FLEETS = 12;

/** The fleets that a result was found with, each as the text of a file. */
export function fleetsOf({ scenario, options }: Result): FleetText[] {
  return fleetsIn(options, '', 0)
    .slice(0, MOST_FLEETS)
    .map(({ path, fleet }) => ({
      name: path === '' ? scenario : path,
      text: `# ${scenario}${path === '' ? '' : `, ${path}`}\n${toYaml(fleet)}`,
    }));
}

function fleetsIn(value: unknown, path: string, depth: number): { path: string; fleet: unknown }[] {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return [];
  if (fleetSchema.safeParse(value).success) return [{ path, fleet: value }];
  const within = (key: string) => {
    if (Array.isArray(value)) return `${path}[${key}]`;
    return path === '' ? key : `${path}.${key}`;
  };
  return Object.entries(value).flatMap(([key, member]) => fleetsIn(member, within(key), depth + 1));
}
