import { RejectedError } from '../../core/index.js';

/** What is known of a request when it is over. */
export interface Ended {
  /** Undefined: it was never answered. */
  readonly status: number | undefined;
  /** The client has got all of its answer. */
  readonly isWhole: boolean;
  readonly hasRoute: boolean;
  /** How often it was sent to a backend. */
  readonly attempts: number;
  /** Why the client of its service gave up. */
  readonly error: Error | undefined;
  /** Rules that it was over. */
  readonly limit: string | undefined;
}

/** Our own word on why a request was not simply answered by a backend; undefined when it was. */
export function reasonOf({ status, isWhole, hasRoute, attempts, error, limit }: Ended): string | undefined {
  if (error instanceof RejectedError)
    return error.code.slice('PLIMSOLL_'.length).toLowerCase().replaceAll('_', '-');
  if (status === undefined) return 'client-left';
  if (!isWhole) return error === undefined || isAbort(error) ? 'client-left' : 'backend-failed';
  if (limit !== undefined) return status === 202 ? 'queued' : 'rate-limit';
  if (error !== undefined && !isAbort(error)) return 'backend-failed';
  if (attempts > 0 || status < 400) return undefined;
  return hasRoute ? (OWN_ANSWERS[status] ?? 'refused') : 'no-route';
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
  if (error === undefined || error instanceof RejectedError || isAbort(error)) return undefined;
  const { code, name } = error as { code?: unknown; name: string };
  return typeof code === 'string' ? code : name;
}
