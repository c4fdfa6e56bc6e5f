/**
 * Errors that Plimsoll answers a caller with. Codes are stable and listed in docs/errors.md; messages are for people.
 * `retry` says where another try makes sense, so that a caller need not parse anything.
 */
export type ErrorCode =
  /** The service has no backend that may be sent to. */
  | 'PLIMSOLL_NO_BACKEND'
  /** Every usable backend is at its flow-control limit, and stayed so while the request waited. */
  | 'PLIMSOLL_ALL_BUSY'
  /** No locality has capacity left. */
  | 'PLIMSOLL_NO_CAPACITY'
  /** The client withholds its own request: the service has been refusing most of its kind. */
  | 'PLIMSOLL_THROTTLED'
  /** The deadline passed before anything was sent, or before the answer came. */
  | 'PLIMSOLL_DEADLINE'
  /** A backend refused it because it is overloaded, and so did those that it was sent to instead, if any. */
  | 'PLIMSOLL_OVERLOADED'
  /** The service is overloaded as a whole, and asks not to try again. */
  | 'PLIMSOLL_DONT_RETRY'
  /** A rate limit: too many wait already for their turn, or the limiter is closed. */
  | 'PLIMSOLL_LIMITED'
  /** The store that processes share is gone, silent or failing, and was not asked, or the store is closed. */
  | 'PLIMSOLL_STORE_UNAVAILABLE';

/** What to do about a refusal. */
export interface RejectedDetails {
  /** `later`: the same place may have room soon. `no`: trying again now cannot help. */
  readonly retry: 'later' | 'no';
  /** When `later` is, if known. */
  readonly retryAfterMs?: number;
}

/** A request that was refused, or not sent, and why: by a code that stays the same (docs/errors.md). */
export class RejectedError extends Error {
  readonly code: ErrorCode;
  readonly retry: RejectedDetails['retry'];
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, details: RejectedDetails) {
    super(message);
    this.name = 'RejectedError';
    this.code = code;
    this.retry = details.retry;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** The refusal in an error that somebody else made of it, as gRPC's clients do; undefined when there is none. */
export function rejectionIn(error: unknown): RejectedError | undefined {
  if (error instanceof RejectedError) return error;
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof RejectedError ? cause : undefined;
}
