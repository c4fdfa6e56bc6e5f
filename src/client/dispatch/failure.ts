import type { Outcome } from '../../core/index.js';

/** The request itself is impossible: no backend has to do with it, and none would take it. */
const CALLERS_FAULTS: ReadonlySet<string | undefined> = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
]);

/**
 * What an attempt that ended without an answer was ("What an outcome teaches"). Only when undici has not begun to write
 * is it proven that nothing was processed; a reset proves nothing. Undefined: it is the caller's own fault.
 */
export function outcomeOfError(
  error: Error,
  isStarted: boolean,
): Extract<Outcome, 'connect-failed' | 'broken'> | undefined {
  if (CALLERS_FAULTS.has((error as NodeJS.ErrnoException).code)) return undefined;
  return isStarted ? 'broken' : 'connect-failed';
}
