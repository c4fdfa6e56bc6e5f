import type { IncomingMessage } from 'node:http';
import type { GuardedRequest } from '../../server/guarded-request.js';
import type { Generation } from '../generation.js';
import type { LiveRoute } from '../live-route.js';

const RECORD = Symbol('plimsoll.record');

type Recorded = { [RECORD]?: RequestRecord };

/** What becomes of a request, noted on its way for the line that it may have at its end. */
export class RequestRecord {
  readonly req: IncomingMessage;
  readonly generation: Generation;
  readonly route: LiveRoute | undefined;
  /** Undefined where no guard stands before. */
  readonly guarded: GuardedRequest | undefined;
  readonly id: string;
  readonly traceId: string | undefined;
  readonly peer: string | undefined;
  readonly beganMs: number;
  /** Who asks, as far as that was found out after the guard had let it in. */
  customer: string | undefined = undefined;
  /** Of its answer on a connection that Node has handed over, where no response is known that says it. */
  status: number | undefined = undefined;
  /** Rules that it was over; '' when their names are not known. */
  limit: string | undefined = undefined;
  backend: string | undefined = undefined;
  /** Of a backend's answer, that of another protocol left out. */
  backendStatus: number | undefined = undefined;
  attempts = 0;
  /** With its service, all attempts together. */
  backendMs: number | undefined = undefined;
  error: Error | undefined = undefined;

  constructor(
    req: IncomingMessage,
    generation: Generation,
    route: LiveRoute | undefined,
    guarded: GuardedRequest | undefined,
    id: string,
    traceId: string | undefined,
    now: number,
  ) {
    this.req = req;
    this.generation = generation;
    this.route = route;
    this.guarded = guarded;
    this.id = id;
    this.traceId = traceId;
    // Of a connection that is gone it cannot be asked any more.
    this.peer = req.socket.remoteAddress;
    this.beganMs = now;
    (req as Recorded)[RECORD] = this;
  }

  /** Since it came in, and not only since its turn came. */
  get arrivedMs(): number {
    return this.guarded?.arrivedMs ?? this.beganMs;
  }
}

/** Undefined when nothing is noted of it. */
export function recordOf(req: object): RequestRecord | undefined {
  return (req as Recorded)[RECORD];
}

/** It is known now who asks, or that nobody knows. */
export function noteCustomer(req: object, customer: string | undefined): void {
  const record = recordOf(req);
  if (record !== undefined) record.customer = customer;
}

/** It was answered on a connection that Node has handed over. */
export function noteStatus(req: object, status: number): void {
  const record = recordOf(req);
  if (record !== undefined) record.status = status;
}

interface Ruled {
  readonly rule: { readonly name: string };
  readonly decision: { readonly allowed: boolean };
}

/** It is over a limit. */
export function noteLimit(req: object, rulings: readonly Ruled[]): void {
  const record = recordOf(req);
  if (record === undefined) return;
  const over = rulings.filter(({ decision }) => !decision.allowed);
  record.limit = over.map(({ rule }) => rule.name).join(', ');
}
