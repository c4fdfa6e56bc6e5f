export { ArrivalProcess, type ArrivalsSpec, arrivalsSchema } from './arrivals.js';
export {
  createDistribution,
  type Distribution,
  type DistributionSpec,
  distributionSchema,
} from './distribution.js';
export { LocalClock } from './local-clock.js';
export { Neighbours, type NeighboursSpec, neighboursSchema } from './neighbours.js';
export { Pauses, type PausesSpec, pausesSchema } from './pauses.js';
export { Processor, type Work } from './processor.js';
