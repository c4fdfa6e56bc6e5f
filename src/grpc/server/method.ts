import type { ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import type { Route } from '../../server/intake/routes.js';

/** As gRPC-js names them. */
export type MethodType = 'unary' | 'clientStream' | 'serverStream' | 'bidi';

/** As much of a call as all four kinds have in common. */
export type AnyCall = ServerUnaryCall<unknown, unknown>;
export type Callback = sendUnaryData<unknown>;

/** A handler of any kind of method: streaming answers have no callback. A promise it returns is waited for. */
export type GrpcHandler = (call: AnyCall, callback: Callback) => unknown;

/** One method of a service, as it was registered. */
export interface Method {
  readonly path: string;
  readonly type: MethodType;
  readonly route: Route;
  readonly handler: GrpcHandler;
  /** A cheaper answer, for when there is too much to do. */
  readonly degraded: GrpcHandler;
}

/** Whether more than one message may come from the client. */
export function isClientStreaming(type: MethodType | undefined): boolean {
  return type !== 'unary' && type !== 'serverStream';
}

/** Whether its answer is one message, given to a callback. */
export function hasCallback(type: MethodType): boolean {
  return type === 'unary' || type === 'clientStream';
}
