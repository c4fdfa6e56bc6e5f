import { parseDigits } from './text.js';

export const GRPC_TIMEOUT_HEADER = 'grpc-timeout';

/** Of gRPC's "PROTOCOL-HTTP2": eight at most. */
const DIGITS = 8;

const UNIT_MS: Readonly<Record<string, number>> = Object.freeze({
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 0.001,
  n: 0.000_001,
});

/** Undefined when it is none. Part of a millisecond is one: 0 would mean that it is over. */
export function decodeGrpcTimeout(value: string): number | undefined {
  const unitMs = UNIT_MS[value.slice(-1)];
  const amount = parseDigits(value.slice(0, -1), DIGITS);
  return unitMs === undefined || amount < 0 ? undefined : Math.ceil(amount * unitMs);
}

/** In the finest unit that has room for it. */
export function encodeGrpcTimeout(timeoutMs: number): string {
  const ms = Math.max(0, Math.floor(timeoutMs));
  if (ms < 10 ** DIGITS) return `${ms}m`;
  return `${Math.min(Math.floor(ms / 1_000), 10 ** DIGITS - 1)}S`;
}
