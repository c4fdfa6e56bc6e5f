export type { BackendList } from './check-backends.js';
export {
  chooseSubset,
  type SubsettingAlgorithm,
  type SubsettingOptions,
  subsetOrder,
} from './choose-subset.js';
export {
  type ConnectionsMoved,
  connectionsMoved,
  countConnections,
  type Fleet,
} from './connections.js';
export { hashedSeats } from './hashed-seats.js';
export { Subset, type SubsetChange } from './subset.js';
