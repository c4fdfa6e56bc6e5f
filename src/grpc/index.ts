/** The guard, the client and leased capacity for gRPC, on @grpc/grpc-js. */
export { RejectedError } from '../core/index.js';
export { addCapacityService } from './capacity/capacity-service.js';
export {
  GRPC_CAPACITY_DEFAULTS,
  type GrpcCapacityOptions,
  grpcCapacity,
} from './capacity/capacity-transport.js';
export type { InterceptorSnapshot } from './client/channel-caller.js';
export { type PlimsollInterceptor, plimsollInterceptor } from './client/interceptor.js';
export {
  callOptions,
  type GrpcRetryOptions,
  type InterceptorOptions,
  type PlimsollCallOptions,
} from './client/interceptor-options.js';
export type { BalancerSnapshot, GrpcBackendSnapshot } from './client/policies/balancer-snapshot.js';
export type {
  GrpcBalancerOptions,
  GrpcPolicyOptions,
  GrpcPrequalOptions,
} from './client/policies/policy-settings.js';
export {
  REGISTER_DEFAULTS,
  type RegisteredPolicies,
  type RegisterOptions,
  registerPolicies,
} from './client/policies/register-policies.js';
export { serviceConfigFor } from './client/policies/service-config.js';
export { GRPC_GUARD_DEFAULTS, type GrpcGuardOptions, guardGrpc } from './server/guard-grpc.js';
export type { GrpcHandler } from './server/method.js';
