/** `RateLimitResponse.Code`. */
export const CODES = Object.freeze({ unknown: 0, ok: 1, overLimit: 2 });

/** What holds for a descriptor, as callers are told. */
export interface CurrentLimit {
  readonly requestsPerUnit: number;
  readonly unit: number;
  readonly name: string;
  /** The same as a message of protobuf: it is in every answer. */
  readonly encoded: Buffer;
}

export interface DescriptorStatus {
  readonly code: number;
  /** Undefined when no rule matched. */
  readonly limit: CurrentLimit | undefined;
  readonly remaining: number;
  readonly resetSeconds: number;
}

export interface HeaderValue {
  readonly key: string;
  readonly value: string;
}

/** What JSON has: what a google.protobuf.Struct is made of. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** `envoy.service.ratelimit.v3.RateLimitResponse`, as far as we fill it. */
export interface LimitResponse {
  readonly code: number;
  readonly statuses: readonly DescriptorStatus[];
  readonly responseHeaders: readonly HeaderValue[];
  readonly requestHeaders: readonly HeaderValue[];
  readonly metadata: { readonly [name: string]: Json } | undefined;
}
