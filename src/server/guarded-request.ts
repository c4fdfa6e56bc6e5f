import type { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkNonNegative } from '../core/check.js';
import { type Criticality, elapsedMs, type GateRequest, type Refusal, type Ticket } from '../core/index.js';
import type { RequestFacts } from '../wire/index.js';
import type { Metered, RequestCpu } from './cpu/index.js';
import type { Exchange } from './exchange.js';
import { HTTP_EXCHANGE } from './http-exchange.js';
import type { Connection } from './intake/connection.js';
import type { Route } from './intake/routes.js';

/** Bodies of refused requests are read and thrown away up to this size; beyond it the connection is the cheaper loss. */
const MOST_DISCARDED_BYTES = 65_536;

/** Where a request is: read, waiting, with its handler, left by its client while its handler goes on, over. */
export type RequestState = 'arriving' | 'waiting' | 'running' | 'orphaned' | 'done';

/** One request on its way through the guard. A handler sees of it what `currentRequest()` shows. */
export class GuardedRequest implements GateRequest, Metered {
  readonly connection: Connection;
  readonly route: string;
  readonly isExempt: boolean;
  readonly criticality: Criticality;
  readonly customer: string;
  /** Given up when another protocol begins: that has no end. */
  deadlineMs: number;
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
  /** It will wait in a line of its own: how loaded the server is does not keep it out. */
  isAside = false;
  state: RequestState = 'arriving';
  /** Among all on its connection, from 1; negative before it has one. */
  place = -1;
  /** Undefined when the gate does not hold it: it is exempt, or nothing is enforced. */
  ticket: Ticket<GuardedRequest> | undefined = undefined;
  /** Why it was not let in. */
  refusal: Refusal | undefined = undefined;
  /** How it is answered. By HTTP/1.1 in terms of the two that follow: other protocols have neither, and handshakes no response. */
  exchange: Exchange = HTTP_EXCHANGE;
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
  /** What its handler has charged, in the unit of the quota. */
  charged = 0;
  /** When it was over, as far as that is known here: its handler may go on. */
  endedMs = 0;

  /** One by one and not as an object: that would be another allocation with each request. */
  constructor(
    connection: Connection,
    route: Route,
    criticality: Criticality,
    customer: string,
    deadlineMs: number,
    order: number,
    method: string,
    arrivedMs: number,
    { attempt, traceId, hasBody, contentLength, expectsContinue }: RequestFacts,
  ) {
    this.connection = connection;
    this.route = route.name;
    this.isExempt = route.isExempt;
    this.criticality = criticality;
    this.customer = customer;
    this.deadlineMs = deadlineMs;
    this.attempt = attempt;
    this.order = order;
    this.traceId = traceId;
    this.method = method;
    this.arrivedMs = arrivedMs;
    this.hasBody = hasBody;
    this.contentLength = contentLength;
    this.isCloseNeeded =
      expectsContinue || (hasBody && !((contentLength ?? Infinity) <= MOST_DISCARDED_BYTES));
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

  /** Whether what it uses counts against the quota of its customer. */
  get isOwed(): boolean {
    return this.ticket?.assumed?.isOwed ?? true;
  }

  get cost(): number {
    return this.connection.door.costOf(this);
  }

  charge(amount: number): void {
    this.charged += checkNonNegative('amount', amount);
    if (this.state === 'done') this.connection.door.chargeLate(this, amount);
  }
}

function nowhere(): void {}
