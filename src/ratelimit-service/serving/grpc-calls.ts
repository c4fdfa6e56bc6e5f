import { isThenable } from '../../rate-limit/maybe-promise.js';
import { RequestError } from '../deciding/asked.js';
import { type LimitDecider, StoreUnavailable } from '../deciding/limit-decider.js';
import type { CallHandler } from '../http2/call-stream.js';
import { GRPC_STATUS, GrpcFailure } from '../http2/header-blocks.js';
import { readHealthRequest, writeHealthResponse } from '../messages/health-messages.js';
import { readLimitRequest } from '../messages/read-limit-request.js';
import { writeLimitResponse } from '../messages/write-limit-response.js';
import type { Health } from './health.js';

const SHOULD_RATE_LIMIT = '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit';
const HEALTH_CHECK = '/grpc.health.v1.Health/Check';
/** Without the path: nobody is to be sent back what he has sent. */
const NO_METHOD = new GrpcFailure(GRPC_STATUS.unimplemented, 'there is no method of this name');

/** The methods there are. */
export function grpcCalls(decider: LimitDecider, health: Health): CallHandler {
  return (path, message) => {
    if (path === SHOULD_RATE_LIMIT) return shouldRateLimit(decider, message);
    if (path === HEALTH_CHECK) return checkHealth(health, message);
    return NO_METHOD;
  };
}

function shouldRateLimit(decider: LimitDecider, message: Buffer): Buffer | GrpcFailure | Promise<Buffer> {
  try {
    const response = decider.decide(readLimitRequest(message));
    if (!isThenable(response)) return writeLimitResponse(response);
    return (response as Promise<Awaited<typeof response>>).then(writeLimitResponse, (error: unknown) => {
      throw failureOf(error);
    });
  } catch (error) {
    return failureOf(error);
  }
}

function checkHealth(health: Health, message: Buffer): Buffer | GrpcFailure {
  const service = readHealthRequest(message);
  if (health.knows(service)) return writeHealthResponse(health.isServing);
  return new GrpcFailure(GRPC_STATUS.notFound, 'unknown service');
}

function failureOf(error: unknown): GrpcFailure {
  if (error instanceof RequestError || error instanceof RangeError)
    return new GrpcFailure(GRPC_STATUS.invalidArgument, error.message);
  if (error instanceof StoreUnavailable) return new GrpcFailure(GRPC_STATUS.unavailable, error.message);
  return new GrpcFailure(GRPC_STATUS.internal, 'the decision failed');
}
