import { RejectedError } from '../../core/index.js';
import { BodyTooLargeError } from '../forwarding/problem.js';

/** What is known of a request when it is over. */
export interface Ended {
  /** Undefined: it was never answered. */
  readonly status: number | undefined;
  /** The client has got all of its answer. */
  readonly isWhole: boolean;
  /** Its route is for batches. */
  readonly isBatch: boolean;
  /** The time to drain is over: connections that are left are cut. */
  readonly isCut: boolean;
  /** How often it was sent to a backend. */
  readonly attempts: number;
  /** Why the client of its service gave up. */
  readonly error: Error | undefined;
  /** Rules that it was over. */
  readonly limit: string | undefined;
}

/** Our own word on why a request was not simply answered by a backend; undefined when it was. */
export function reasonOf(ended: Ended): string | undefined {
  const { status, isWhole, isBatch, isCut, attempts, error, limit } = ended;
  if (error instanceof RejectedError)
    return error.code.slice('PLIMSOLL_'.length).toLowerCase().replaceAll('_', '-');
  // Of a body without a length that shows on its way to the backend, which had no part in it.
  if (error instanceof BodyTooLargeError) return 'too-large';
  const gone = isCut ? 'drain' : 'client-left';
  if (status === undefined) return gone;
  if (!isWhole) return error === undefined || isAbort(error) ? gone : 'backend-failed';
  if (limit !== undefined) return status === 202 ? 'queued' : 'rate-limit';
  if (error !== undefined && !isAbort(error)) return 'backend-failed';
  if (attempts > 0 || status < 400) return undefined;
  return isBatch && status === 429 ? 'batch' : (OWN_ANSWERS[status] ?? 'refused');
}

/** What is answered here without a backend, by its status. */
const OWN_ANSWERS: Readonly<Record<number, string>> = Object.freeze({
  400: 'bad-request',
  401: 'unauthorized',
  404: 'no-route',
  405: 'bad-method',
  413: 'too-large',
  429: 'rate-limit',
  431: 'bad-request',
  500: 'failed',
  501: 'bad-request',
  502: 'backend-failed',
  503: 'unavailable',
  504: 'deadline',
  508: 'loop',
});

function isAbort({ name }: Error): boolean {
  return name === 'AbortError';
}

/** A word for what went wrong on a connection, for programs: `ECONNREFUSED`, `UND_ERR_HEADERS_TIMEOUT`. */
export function errorCodeOf(error: Error | undefined): string | undefined {
  if (error === undefined || error instanceof RejectedError || error instanceof BodyTooLargeError)
    return undefined;
  if (isAbort(error)) return undefined;
  const { code, name } = error as { code?: unknown; name: string };
  return typeof code === 'string' ? code : name;
}
