import type { Outcome } from '../../core/index.js';

/** The request itself is impossible: no backend has to do with it, and none would take it. */
const CALLERS_FAULTS: ReadonlySet<string> = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_ABORTED',
  'UND_ERR_INVALID_RETURN_VALUE',
]);

/**
 * What an attempt that ended without an answer was ("What an outcome teaches"). Only when undici has not begun to write
 * is it proven that nothing was processed; a reset proves nothing. Undefined: it is the caller's own fault.
 */
export function outcomeOfError(
  error: Error,
  isStarted: boolean,
  isNamedByCaller = false,
): Extract<Outcome, 'connect-failed' | 'broken'> | undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (isCallersFault(code) || (isNamedByCaller && code === 'ERR_TLS_CERT_ALTNAME_INVALID')) return undefined;
  return isStarted ? 'broken' : 'connect-failed';
}

const BREAKS: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Its connection broke: not by a timeout, by whoever asked, or by what was answered. */
export function isBreak(error: Error): boolean {
  return BREAKS.has((error as NodeJS.ErrnoException).code);
}

/** Sockets, TLS and undici say by a code what went wrong. What has none was thrown by somebody's code. */
function isCallersFault(code: string | undefined): boolean {
  return code === undefined || CALLERS_FAULTS.has(code) || code.startsWith('ERR_INVALID_');
}
