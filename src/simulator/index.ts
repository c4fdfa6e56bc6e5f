/** The shipped decisions on a virtual clock. */
export {
  Fleet,
  type FleetInput,
  type FleetOptions,
  type FleetSpec,
  fleetSchema,
  type GroupSample,
  REQUEST_ENDS,
  type RequestEnd,
  type Sample,
  type ServiceSample,
} from './fleet/index.js';
export {
  type DrawnFleet,
  describeOutcome,
  drawFleet,
  type FuzzOptions,
  type FuzzOutcome,
  fuzzFleet,
  type Violation,
} from './fuzz/index.js';
export { Event } from './kernel/event.js';
export { Kernel, type OnProgress } from './kernel/kernel.js';
export type { Axis, BarPanel, Bars, Figure, Line, LinePanel, Mark, Panel } from './report/figure.js';
export type { Check, Result, Row } from './report/result.js';
export { fleetScenario } from './scenarios/fleet-scenario.js';
export { SCENARIOS } from './scenarios/index.js';
export type { RandomRunsRow } from './scenarios/random-subsets.js';
export type { Progress, Scenario, ScenarioOptions, ScenarioRun } from './scenarios/scenario.js';
export {
  type SubsettingRow,
  type SubsettingTable,
  type SubsettingTableOptions,
  subsettingTable,
} from './scenarios/subsetting-table.js';
export type { AlgorithmRow, RandomShareRow, TextRow } from './scenarios/subsetting-table-rows.js';
