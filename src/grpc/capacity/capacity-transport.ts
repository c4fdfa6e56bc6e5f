import type { ChannelCredentials, ChannelOptions } from '@grpc/grpc-js';
import { withDefaults } from '../../core/check.js';
import { GRPC_PROTOCOLS } from '../../quota/capacity-address.js';
import type { CapacityTransport } from '../../quota/capacity-transport.js';
import type { Grpc } from '../client/policies/grpc-api.js';
import { GrpcCapacitySender } from './capacity-sender.js';

/** How servers of capacity are connected to by gRPC. */
export interface GrpcCapacityOptions {
  /** For addresses that begin with `grpcs:`. undefined: TLS with the authorities that Node knows. */
  readonly credentials: ChannelCredentials | undefined;
  /** Of grpc-js, for each of its channels. */
  readonly channelOptions: ChannelOptions;
}

export const GRPC_CAPACITY_DEFAULTS: GrpcCapacityOptions = Object.freeze({
  credentials: undefined,
  channelOptions: Object.freeze({}),
});

/**
 * Lets clients of capacity, and servers below others, ask by gRPC:
 * `createCapacityClient({ url: 'grpc://10.0.0.3:50051', resource: 'gpu', transport: grpcCapacity(grpc) })`.
 */
export function grpcCapacity(grpc: Grpc, given?: Partial<GrpcCapacityOptions>): CapacityTransport {
  const options = withDefaults('grpcCapacity', GRPC_CAPACITY_DEFAULTS, given);
  const settings = { ...options, credentials: options.credentials ?? grpc.credentials.createSsl() };
  return {
    protocols: GRPC_PROTOCOLS,
    open: (sending) => new GrpcCapacitySender(grpc, settings, sending),
  };
}
