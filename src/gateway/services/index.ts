/** Clients of the services behind a gateway. */
export { type ServiceClient, ServiceClients } from './service-clients.js';
export { planServices } from './service-plans.js';
