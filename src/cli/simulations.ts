import { fleetSchema } from '../simulator/fleet/index.js';
import { fleetScenario } from '../simulator/scenarios/fleet-scenario.js';
import { SCENARIOS } from '../simulator/scenarios/index.js';
import type { Simulations } from './simulate.js';

/** Everything that `plimsoll simulate` can run. */
export const SIMULATIONS: Simulations = {
  scenarios: SCENARIOS,
  fleets: { schema: fleetSchema, scenario: fleetScenario },
};
