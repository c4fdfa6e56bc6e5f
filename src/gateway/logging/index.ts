/** What a gateway does, as lines of JSON. */
export { GatewayLog, type LogSnapshot, openLog } from './gateway-log.js';
export { noteCustomer, noteLimit } from './request-record.js';
