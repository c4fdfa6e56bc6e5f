import type { IncomingMessage, ServerResponse } from 'node:http';
import { type RejectedError, rejectionIn } from '../core/index.js';
import type { AnswerName } from '../wire/index.js';
import type { Door } from './door.js';
import type { GuardedRequest } from './guarded-request.js';
import { refuseLate } from './refusing/refuse-late.js';

/** What a server answers requests with; a promise it returns is waited for. */
export type Handler = (req: IncomingMessage, res: ServerResponse) => unknown;

/** What a guard has besides the handler. */
export interface ProtectOptions {
  /** A cheaper answer, for when there is too much to do (SRE ch. 21, "degraded responses"). */
  readonly degraded?: Handler;
}

/** Calls handlers, and sees to it that none of them leaves a request without an end, or ends the process. */
export class Handling {
  readonly #door: Door;
  readonly #onError: (error: unknown) => void;

  constructor(door: Door, onError: (error: unknown) => void) {
    this.#door = door;
    this.#onError = onError;
  }

  call(request: GuardedRequest, handler: Handler): void {
    const { req, res } = request;
    try {
      const result = handler(req!, res!);
      if (isThenable(result)) this.#follow(request, result);
    } catch (error) {
      this.#fail(request, error);
    }
  }

  #follow(request: GuardedRequest, promise: PromiseLike<unknown>): void {
    if (request.state === 'running') request.isPromised = true;
    promise.then(
      () => this.#door.settle(request),
      (error) => {
        this.#fail(request, error);
        this.#door.settle(request);
      },
    );
  }

  /**
   * What a handler does not catch must not end the process. When a service that it called is overloaded, so are we:
   * answered as *don't retry*, since whoever called has used up its attempts.
   */
  #fail(request: GuardedRequest, error: unknown): void {
    const { res } = request;
    const rejection = rejectionIn(error);
    this.#door.tally.handlerErrors++;
    if (rejection === undefined) this.#onError(error);
    if (res === undefined || res.destroyed || res.writableEnded) return;
    if (res.headersSent) {
      res.destroy();
      return;
    }
    // Headers meant for the answer that there will not be.
    for (const name of res.getHeaderNames()) res.removeHeader(name);
    if (rejection !== undefined) refuseLate(request, answerTo(rejection), request.isCloseNeeded);
    else {
      res.writeHead(500, ['content-length', '0']);
      res.end();
    }
  }
}

/** Too late is too late for whoever called us, too. */
function answerTo({ code }: RejectedError): AnswerName {
  return code === 'PLIMSOLL_DEADLINE' ? 'late' : 'overloaded-no-retry';
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  );
}
