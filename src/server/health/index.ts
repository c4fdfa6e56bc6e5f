/** How a backend tells others how it is. */
export { Supervision, type SupervisionSnapshot, superviseWorkers } from './cluster-health.js';
export { type ClusterMember, joinCluster } from './cluster-member.js';
export { HEALTH_PAGES_DEFAULTS, HealthPages, type HealthPagesOptions } from './health-pages.js';
export type { HealthSource } from './health-source.js';
export { StateListeners } from './state-listeners.js';
export { SUPERVISE_DEFAULTS, type SuperviseOptions } from './supervise-options.js';
export { UdpHealth, type UdpHealthSnapshot } from './udp-health.js';
export { UDP_HEALTH_DEFAULTS, type UdpHealthOptions } from './udp-health-options.js';
