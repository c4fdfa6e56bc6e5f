import type { GuardedRequest } from '../guarded-request.js';
import type { StaleCopies } from './stale-copies.js';

/** Answers what is refused from copies that are kept elsewhere than in the guard: by a gateway, for each of its routes. */
export interface StandIn {
  /** Whether there may be a copy; asked in the turn in which it was decided on, before there is a response. */
  mayServe(request: GuardedRequest): boolean;
  /** False when there is none after all: then nothing was sent. */
  serve(request: GuardedRequest, nowMs: number): boolean;
}

/** Copies for requests that would get an error: those of the guard, when it was told so, and those of whoever stands in. */
export class RefusedCopies {
  standIn: StandIn | undefined = undefined;
  readonly #own: StaleCopies | undefined;

  constructor(stale: StaleCopies | undefined) {
    this.#own = stale?.options.serveInsteadOfRefusing === true ? stale : undefined;
  }

  /** It takes a response to send one, and a refusal does without. */
  mayServe(request: GuardedRequest): boolean {
    if (!isCopyable(request)) return false;
    return this.#own?.hasCopies === true || this.standIn?.mayServe(request) === true;
  }

  serve(request: GuardedRequest, nowMs: number): boolean {
    const { req, res } = request;
    // There is none for another protocol.
    if (res === undefined || !isCopyable(request)) return false;
    return this.#own?.serve(req!, res, nowMs) === true || this.standIn?.serve(request, nowMs) === true;
  }
}

function isCopyable({ method, refusal, hasBody }: GuardedRequest): boolean {
  return refusal?.reason !== 'not-ready' && !hasBody && (method === 'GET' || method === 'HEAD');
}
