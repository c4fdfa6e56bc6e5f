import type { InterceptingCall, Interceptor } from '@grpc/grpc-js';
import { needContext } from '../../context/index.js';
import { ChannelCaller, type InterceptorSnapshot } from './channel-caller.js';
import { GrpcExchange } from './grpc-exchange.js';
import { checkInterceptorOptions, type InterceptorOptions } from './interceptor-options.js';

/** An interceptor of grpc-js that can be looked into. */
export type PlimsollInterceptor = Interceptor & {
  /** What it knows and does, as plain data. */
  snapshot(): InterceptorSnapshot;
  /** Ends its metrics. Calls go on. */
  close(): void;
};

/**
 * For clients of one service: throttles, retries within budgets, and passes on criticality, customer, deadline and trace of
 * the request being served. All clients that are given the same interceptor share its throttle and budget.
 */
export function plimsollInterceptor(options: InterceptorOptions = {}): PlimsollInterceptor {
  const caller = new ChannelCaller(checkInterceptorOptions(options));
  needContext();
  const interceptor: Interceptor = (callOptions, nextCall) =>
    // Grpc-js calls what stands in the interface, and asks for its class only by name.
    new GrpcExchange(caller, callOptions, nextCall) as unknown as InterceptingCall;
  return Object.assign(interceptor, { snapshot: () => caller.snapshot(), close: () => caller.close() });
}
