import { fleetSchema } from '../simulator/fleet/index.js';
import { fleetScenario } from '../simulator/scenarios/fleet-scenario.js';
import { SCENARIOS } from '../simulator/scenarios/index.js';
import type { Scenario } from '../simulator/scenarios/scenario.js';
import type { FleetKind } from './fleet-text.js';

/** What there is to simulate. */
export interface Simulations {
  readonly scenarios: readonly Scenario[];
  readonly fleets: FleetKind;
}

/** Everything that `plimsoll simulate` and the page can run. */
export const SIMULATIONS: Simulations = {
  scenarios: SCENARIOS,
  fleets: { schema: fleetSchema, scenario: fleetScenario },
};
