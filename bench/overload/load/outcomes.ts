/** What became of one request. */
export const OUTCOME = {
  pending: 0,
  /** 200 within the timeout. */
  good: 1,
  /** 503 or 429 within the timeout. */
  refused: 2,
  /** Any other answer within the timeout. */
  failed: 3,
  /** No answer within the timeout, nor later. */
  timedOut: 4,
  /** Answered, but only after the timeout. */
  late: 5,
  /** The connection was closed instead. */
  lost: 6,
  /** Never sent: no connection was free. */
  unsent: 7,
} as const;

export function outcomeOfStatus(status: number): number {
  if (status === 200) return OUTCOME.good;
  return status === 503 || status === 429 ? OUTCOME.refused : OUTCOME.failed;
}
