export { createPicker, POLICY_NAMES, type PolicyName, type PolicyOptions } from './create-picker.js';
export { LeastLoadedPolicy } from './least-loaded.js';
export { type BackendPick, type Entry, type NoPick, Picker, type Policy, type Probing } from './picker.js';
export { PREQUAL_DEFAULTS, type PrequalOptions, PrequalPolicy } from './prequal/prequal.js';
export { RoundRobinPolicy } from './round-robin.js';
export { WEIGHTED_DEFAULTS, type WeightedOptions, WeightedPolicy } from './weighted.js';
