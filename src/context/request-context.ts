import { checkNonNegative } from '../core/check.js';
import type { Criticality } from '../core/criticality.js';
import { NO_DEADLINE } from '../core/deadline.js';

/** What code that serves a request may know of it, wherever it runs. */
export interface RequestContext {
  /** How bad it is to refuse it; passed on with every call made while serving it. */
  readonly criticality: Criticality;
  /** An instant of `performance.now()`; `Infinity` when there is none. */
  readonly deadline: number;
  /** Time until the deadline, 0 when it has passed, `Infinity` when there is none. */
  remainingMs(): number;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Who is billed for it; '' when unknown. */
  readonly customer: string;
  /** Whether a cheaper answer than usual is asked for. */
  readonly degraded: boolean;
  /** CPU it has used so far, in normalised milliseconds. */
  readonly cost: number;
  /**
   * Adds to what its customer has used of a quota, in the quota's own unit: bytes, tokens of a model, money. Until 30 s
   * after the answer has ended; CPU is counted by itself, and where that is the unit this changes nothing.
   */
  charge(amount: number): void;
  readonly traceId?: string | undefined;
}

/** A request whose calls below are made with another criticality. Everything else is asked of the request itself. */
export class OverriddenContext implements RequestContext {
  readonly criticality: Criticality;
  readonly request: RequestContext;

  constructor(outer: RequestContext, criticality: Criticality) {
    this.criticality = criticality;
    // Overrides do not pile up, however deep they are nested.
    this.request = requestOf(outer);
  }

  get deadline(): number {
    return this.request.deadline;
  }

  remainingMs(): number {
    return this.request.remainingMs();
  }

  get attempt(): number {
    return this.request.attempt;
  }

  get customer(): string {
    return this.request.customer;
  }

  get degraded(): boolean {
    return this.request.degraded;
  }

  get cost(): number {
    return this.request.cost;
  }

  charge(amount: number): void {
    this.request.charge(amount);
  }

  get traceId(): string | undefined {
    return this.request.traceId;
  }
}

/** Work that no request asked for, such as a batch job: it has a criticality when code gives it one. */
export class BackgroundContext implements RequestContext {
  readonly criticality: Criticality;
  readonly deadline = NO_DEADLINE;
  readonly attempt = 1;
  readonly customer = '';
  readonly degraded = false;
  readonly cost = 0;

  constructor(criticality: Criticality) {
    this.criticality = criticality;
  }

  remainingMs(): number {
    return Number.POSITIVE_INFINITY;
  }

  /** It has no customer. A wrong amount is one all the same. */
  charge(amount: number): void {
    checkNonNegative('amount', amount);
  }
}

/** The request itself, below whatever code has overridden. */
export function requestOf(context: RequestContext): RequestContext {
  return context instanceof OverriddenContext ? context.request : context;
}
