import type { CallOptions } from './hop.js';

/** What is asked for, as undici's `dispatch` is given it, and what we add. */
export interface Sending extends CallOptions {
  readonly origin?: string | URL | undefined;
  readonly path: string;
  readonly method: string;
  readonly headers?: unknown;
  /** They are a flat list of texts that nobody changes any more: it need not be copied. */
  readonly areHeadersFlat?: boolean | undefined;
  readonly body?: unknown;
  readonly query?: Record<string, unknown> | undefined;
  readonly upgrade?: boolean | string | null | undefined;
  readonly headersTimeout?: number | null | undefined;
  readonly bodyTimeout?: number | null | undefined;
  readonly reset?: boolean | undefined;
  readonly blocking?: boolean | undefined;
}
