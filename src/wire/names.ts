/**
 * Names of the headers that we share with others: adopted where somebody has one (Envoy, W3C, ORCA, gRPC), so that
 * what stands in between understands them too.
 */
export const CRITICALITY_HEADER = 'x-request-criticality';
export const ATTEMPT_HEADER = 'x-envoy-attempt-count';
export const TIMEOUT_HEADER = 'x-envoy-expected-rq-timeout-ms';
export const CUSTOMER_HEADER = 'x-plimsoll-customer';
export const TRACE_PARENT_HEADER = 'traceparent';
export const BAGGAGE_HEADER = 'baggage';
export const LOAD_REPORT_HEADER = 'endpoint-load-metrics';
export const OVERLOADED_HEADER = 'x-envoy-overloaded';
export const RATE_LIMITED_HEADER = 'x-envoy-ratelimited';
export const RETRY_AFTER_HEADER = 'retry-after';
export const PUSHBACK_HEADER = 'grpc-retry-pushback-ms';
export const PREVIOUS_ATTEMPTS_HEADER = 'grpc-previous-rpc-attempts';
export const LOAD_REPORT_TRAILER = 'endpoint-load-metrics-bin';

/** Headers of an answer as Node and undici give them: names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The value of a header, the first one when it came more than once. */
export function firstValue(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'object' ? value[0] : value;
}
