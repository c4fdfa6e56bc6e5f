import type { experimental, Metadata } from '@grpc/grpc-js';

/** The module `@grpc/grpc-js`, as its user has it: two copies of it in one process know nothing of each other's policies. */
export type Grpc = typeof import('@grpc/grpc-js');

export type Endpoint = experimental.Endpoint;
export type ChannelControlHelper = experimental.ChannelControlHelper;
export type LoadBalancer = experimental.LoadBalancer;
export type TypedLoadBalancingConfig = experimental.TypedLoadBalancingConfig;
export type LeafLoadBalancer = experimental.LeafLoadBalancer;
export type Subchannel = experimental.SubchannelInterface;
export type Channel = ReturnType<Subchannel['getChannel']>;
export type GrpcPicker = experimental.Picker;
export type PickArgs = experimental.PickArgs;
export type PickResult = experimental.PickResult;
export type Addresses = Parameters<LoadBalancer['updateAddressList']>[0];
export type ChannelOptions = Parameters<LoadBalancer['updateAddressList']>[2];

/** How a call ended, as a picker is told. */
export type OnCallEnded = (code: number, details: string, metadata: Metadata) => void;

/** The connectivity states of gRPC, by their numbers in grpc-js. */
export const IDLE = 0;
export const CONNECTING = 1;
export const READY = 2;
export const TRANSIENT_FAILURE = 3;

/** What a picker answers, likewise. */
export const COMPLETE = 0;
export const QUEUE = 1;
export const FAIL = 2;
