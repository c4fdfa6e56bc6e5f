/** Clients of the services behind a gateway. */
export { type ServiceClient, ServiceClients } from './service-clients.js';
export { planServices, type ReadFile } from './service-plans.js';
