import type { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Criticality, elapsedMs, type GateRequest, type Refusal, type Ticket } from '../core/index.js';
import type { Metered, RequestCpu } from './cpu/index.js';
import type { Connection } from './intake/connection.js';
import type { Route } from './intake/routes.js';

/** Where a request is: read, waiting, with its handler, left by its client while its handler goes on, over. */
export type RequestState = 'arriving' | 'waiting' | 'running' | 'orphaned' | 'done';

/** One request on its way through the guard. A handler sees of it what `currentRequest()` shows. */
export class GuardedRequest implements GateRequest, Metered {
  readonly connection: Connection;
  readonly route: string;
  readonly isExempt: boolean;
  readonly criticality: Criticality;
  readonly customer: string;
  readonly deadlineMs: number;
  readonly attempt: number;
  readonly order: number;
  readonly traceId: string | undefined;
  readonly method: string;
  readonly arrivedMs: number;
  /** Nothing that follows on the connection may be taken for its body: it ends with a refusal of this one. */
  readonly isCloseNeeded: boolean;
  readonly hasBody: boolean;
  /** Undefined when it was not said. */
  readonly contentLength: number | undefined;
  state: RequestState = 'arriving';
  /** Undefined when the gate does not hold it: it is exempt, or nothing is enforced. */
  ticket: Ticket<GuardedRequest> | undefined = undefined;
  /** Why it was not let in. */
  refusal: Refusal | undefined = undefined;
  req: IncomingMessage | undefined = undefined;
  res: ServerResponse | undefined = undefined;
  /** Hands it to its handler. */
  deliver: (request: GuardedRequest) => void = nowhere;
  /** The async context it came in with, while it waits. */
  resource: AsyncResource | undefined = undefined;
  /** Its handler has returned a promise that is not settled. */
  isPromised = false;
  cpu: RequestCpu | undefined = undefined;
  cpuMs = 0;
  isCpuSettled = false;

  constructor(head: {
    readonly connection: Connection;
    readonly route: Route;
    readonly criticality: Criticality;
    readonly customer: string;
    readonly deadlineMs: number;
    readonly attempt: number;
    readonly order: number;
    readonly traceId: string | undefined;
    readonly method: string;
    readonly arrivedMs: number;
    readonly isCloseNeeded: boolean;
    readonly hasBody: boolean;
    readonly contentLength: number | undefined;
  }) {
    this.connection = head.connection;
    this.route = head.route.name;
    this.isExempt = head.route.isExempt;
    this.criticality = head.criticality;
    this.customer = head.customer;
    this.deadlineMs = head.deadlineMs;
    this.attempt = head.attempt;
    this.order = head.order;
    this.traceId = head.traceId;
    this.method = head.method;
    this.arrivedMs = head.arrivedMs;
    this.isCloseNeeded = head.isCloseNeeded;
    this.hasBody = head.hasBody;
    this.contentLength = head.contentLength;
  }

  get deadline(): number {
    return this.deadlineMs;
  }

  remainingMs(): number {
    return elapsedMs(performance.now(), this.deadlineMs);
  }

  get degraded(): boolean {
    return this.ticket?.isDegraded ?? false;
  }

  get cost(): number {
    return this.connection.door.costOf(this);
  }
}

function nowhere(): void {}
