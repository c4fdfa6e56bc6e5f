/** The guard and the client for gRPC, on @grpc/grpc-js. */
export {};
