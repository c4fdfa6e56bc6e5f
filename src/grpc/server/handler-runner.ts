import { rejectionIn } from '../../core/index.js';
import type { Door } from '../../server/door.js';
import type { GuardedRequest } from '../../server/guarded-request.js';
import { GRPC_REFUSALS, GRPC_STATUS } from '../../wire/index.js';
import { metadataLike } from './metadata.js';
import { type AnyCall, type Callback, hasCallback, type Method } from './method.js';

/** What a handler is called with. */
export interface Calling {
  readonly method: Method;
  readonly call: AnyCall;
  readonly callback: Callback;
}

/** Calls handlers, and sees to it that none of them leaves a call without a status, or ends the process. */
export class HandlerRunner {
  readonly #door: Door;
  readonly #onError: (error: unknown) => void;

  constructor(door: Door, onError: (error: unknown) => void) {
    this.#door = door;
    this.#onError = onError;
  }

  /** As part of its request: what grpc-js does before it calls a handler may have lost that. */
  run(request: GuardedRequest, calling: Calling): void {
    this.#door.resume(request, this.#call, request, calling);
  }

  readonly #call = (request: GuardedRequest, calling: Calling) => {
    const { method, call, callback } = calling;
    const handler = request.degraded ? method.degraded : method.handler;
    try {
      const result = handler(call, hasCallback(method.type) ? mapped(call, callback) : callback);
      if (isThenable(result)) this.#follow(request, calling, result);
    } catch (error) {
      this.#fail(calling, error);
    }
  };

  #follow(request: GuardedRequest, calling: Calling, promise: PromiseLike<unknown>): void {
    if (request.state === 'running') request.isPromised = true;
    promise.then(
      () => this.#door.settle(request),
      (error) => {
        this.#fail(calling, error);
        this.#door.settle(request);
      },
    );
  }

  /** grpc-js catches what is thrown, but not what a promise is rejected with: that would end the process. */
  #fail({ method, call, callback }: Calling, error: unknown): void {
    this.#door.tally.handlerErrors++;
    const status = statusOf(call, error);
    if (status.isUnknown) this.#onError(error);
    if (hasCallback(method.type)) callback(status.error);
    else call.emit('error', status.error);
  }
}

/** Also what is given to the callback may be a refusal of a service that the handler has called. */
function mapped(call: AnyCall, callback: Callback): Callback {
  return (error, value, trailer, flags) =>
    callback(rejectionIn(error) === undefined ? error : statusOf(call, error).error, value, trailer, flags);
}

const LAST_CODE = GRPC_STATUS.unauthenticated;

interface Status {
  readonly error: Parameters<Callback>[0];
  /** Nobody has said what it is to the caller. */
  readonly isUnknown: boolean;
}

/**
 * When a service that the handler called is overloaded, so are we: answered as *don't retry*, since whoever called has used
 * up its attempts, also where a client of gRPC has made an error with a code of it. Any other error that has a code of gRPC's
 * is the answer; anything else is nobody's business outside.
 */
function statusOf(call: AnyCall, error: unknown): Status {
  const rejection = rejectionIn(error);
  if (rejection !== undefined) {
    const name = rejection.code === 'PLIMSOLL_DEADLINE' ? 'late' : 'overloaded-no-retry';
    const { code, message, metadata } = GRPC_REFUSALS[name];
    return {
      error: { code, details: message, metadata: metadataLike(call.metadata, metadata) },
      isUnknown: false,
    };
  }
  if (isGrpcCode((error as { code?: unknown } | null | undefined)?.code))
    return { error: error as Parameters<Callback>[0], isUnknown: false };
  return { error: { code: GRPC_STATUS.unknown, details: 'Unknown error' }, isUnknown: true };
}

/** Errors of databases have numbers of their own, and texts that are nobody's business. OK is none of an error. */
function isGrpcCode(code: unknown): boolean {
  return Number.isInteger(code) && Number(code) > GRPC_STATUS.ok && Number(code) <= LAST_CODE;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  );
}
