import { checkOneOf } from '../core/check.js';
import type { Criticality } from '../core/criticality.js';
import { CRITICALITIES } from '../core/criticality.js';
import { hasCheapContext, Propagation, type PropagationMode } from './propagation.js';
import { BackgroundContext, OverriddenContext, type RequestContext } from './request-context.js';

/** One for the process, as async context is. */
const propagation = new Propagation({
  isCheap: hasCheapContext(),
  monotonicMs: () => performance.now(),
});

/**
 * The request that the calling code serves; undefined outside of one. It is known across awaits, timers, streams and
 * callbacks; see Propagation for the one exception on Nodes before 24.
 */
export function currentRequest(): RequestContext | undefined {
  propagation.need();
  return propagation.peek();
}

/** Says beforehand that `currentRequest` will be asked: for clients when they are made. */
export function needContext(): void {
  propagation.need();
}

/** As `currentRequest`, by code that does not mind not knowing: it does not keep propagation up. */
export function peekRequest(): RequestContext | undefined {
  return propagation.peek();
}

/**
 * Calls made by `fn`, and by what it starts, carry this criticality (SRE ch. 21: set at the edge, overridable in code).
 * Outside of a request too, for batch jobs.
 */
export function withCriticality<R>(criticality: Criticality, fn: () => R): R {
  checkOneOf('criticality', criticality, CRITICALITIES);
  propagation.need();
  const outer = propagation.peek();
  const context =
    outer === undefined ? new BackgroundContext(criticality) : new OverriddenContext(outer, criticality);
  return propagation.enter(context, fn, undefined, undefined);
}

/** Serves a request: `fn(a, b)` and all that it starts know it. Arguments instead of a closure: one a request is many. */
export function runInRequest<R, A, B>(request: RequestContext, fn: (a: A, b: B) => R, a: A, b: B): R {
  return propagation.run(request, fn, a, b);
}

/** How far a guard wants its requests to be known; returns how to take it back. */
export function propagate(mode: PropagationMode): () => void {
  return propagation.want(mode);
}

/** Keeps propagation up, whatever anybody wants, until it is released: CPU is measured by it. */
export function holdPropagation(): void {
  propagation.hold();
}

export function releasePropagation(): void {
  propagation.release();
}

/** More code of a request that runs already, such as a listener: it is no other request. */
export function enterRequest<R, A, B>(context: RequestContext, fn: (a: A, b: B) => R, a: A, b: B): R {
  return propagation.enter(context, fn, a, b);
}
