/** The guard and the client for gRPC, on @grpc/grpc-js. */
export { GRPC_GUARD_DEFAULTS, type GrpcGuardOptions, guardGrpc } from './server/guard-grpc.js';
export type { GrpcHandler } from './server/method.js';
