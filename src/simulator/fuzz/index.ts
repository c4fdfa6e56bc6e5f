export { type DrawnFleet, drawFleet } from './draw-fleet.js';
export { checkFleet, describeOutcome, type FuzzOptions, type FuzzOutcome, fuzzFleet } from './fuzz.js';
export type { Violation } from './violations.js';
