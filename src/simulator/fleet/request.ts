import type { Call, CallRequest } from '../../core/call/index.js';
import type { Criticality } from '../../core/criticality.js';
import { Event } from '../kernel/event.js';
import type { Attempt } from './attempt.js';
import type { Kind } from './kind.js';
import type { ServiceLink } from './service-link.js';

/** How a request ended, as whoever made it sees it. */
export const REQUEST_ENDS = [
  'served',
  /** By the cheaper handler. */
  'degraded',
  /** The handler's own error. */
  'failed',
  /** No answer within the deadline. */
  'timed-out',
  /** The connection broke after sending, or there was none. */
  'broken',
  /** Refused by a backend that has too much. */
  'shed',
  /** Refused by a backend: its customer is over its quota. */
  'limited',
  /** Not sent: refused by the client's own throttle. */
  'throttled',
  /** Not sent: no backend was usable, or none had room. */
  'unsent',
] as const;

export type RequestEnd = (typeof REQUEST_ENDS)[number];

/** Who made the request, and waits for it. */
export interface RequestOwner {
  /** Told once. */
  onEnd(request: SimulatedRequest, end: RequestEnd, now: number): void;
}

/** What is passed on from a request to the calls made for it. */
export interface RequestContext {
  readonly criticality: Criticality;
  readonly customer: string;
  /** Its place in the order of refusal: the hash of a trace id, drawn. */
  readonly order: number;
}

/** One request as its client sees it. As an event it is its own deadline. */
export class SimulatedRequest extends Event implements CallRequest {
  readonly owner: RequestOwner;
  readonly kind: Kind;
  readonly criticality: Criticality;
  readonly customer: string;
  readonly order: number;
  /** By the clock of its process. */
  readonly deadlineMs: number;
  readonly isIdempotent: boolean;
  readonly startedMs: number;
  /** Set by the link that carries it. */
  link: ServiceLink | undefined;
  call: Call | undefined;
  /** The one that is under way. */
  attempt: Attempt | undefined;
  isEnded = false;

  constructor(
    owner: RequestOwner,
    kind: Kind,
    context: RequestContext,
    deadlineMs: number,
    isIdempotent: boolean,
    startedMs: number,
  ) {
    super();
    this.owner = owner;
    this.kind = kind;
    this.criticality = context.criticality;
    this.customer = context.customer;
    this.order = context.order;
    this.deadlineMs = deadlineMs;
    this.isIdempotent = isIdempotent;
    this.startedMs = startedMs;
  }

  /** Attempts beyond the first. */
  get retries(): number {
    return this.call === undefined ? 0 : this.call.attempt - 1;
  }

  happen(now: number): void {
    this.link?.onDeadline(this, now);
  }
}
