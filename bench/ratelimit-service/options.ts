export const RATELIMIT_SERVICE_HELP = `ratelimit-service, about two minutes: calls of Envoy's protocol beside requests to node:http with the same limit`;
