export { Fleet, type FleetOptions } from './fleet.js';
export { cpuPanel, rateLine } from './fleet-figures.js';
export { backendRows, cpuOverRun, requestRows, typicalPeak } from './fleet-report.js';
export { REQUEST_ENDS, type RequestEnd } from './request.js';
export type { GroupSample, Sample, ServiceSample } from './samples.js';
export * from './spec/index.js';
export type { Tally, Traffic } from './traffic.js';
