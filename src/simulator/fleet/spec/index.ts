export type { ClientSpec } from './client-spec.js';
export type { BackendFaultSpec, FaultKind, FaultSpec } from './fault-spec.js';
export { type FleetInput, type FleetSpec, fleetSchema, type NetworkSpec } from './fleet-spec.js';
export type { LinkSpec } from './link-spec.js';
export { limitsOf, type QuotaSpec } from './quota-spec.js';
export type { BackendGroupSpec, CallSpec, GuardSpec, KindSpec, ServiceSpec } from './service-spec.js';
