import type { Criticality } from '../../core/criticality.js';
import { deadlineAfter, remainingMs } from '../../core/deadline.js';
import type { GateRequest, Ticket } from '../../core/gate/index.js';
import type { LoadReport } from '../../core/load-report.js';
import type { Outcome } from '../../core/outcome.js';
import { Event } from '../kernel/event.js';
import type { Work } from '../models/index.js';
import type { BackendProcess } from './backend-process.js';
import type { RequestEnd, RequestOwner, SimulatedRequest } from './request.js';
import type { SimulatedBackend } from './simulated-backend.js';

/** Where an attempt is. */
type Stage =
  | 'to-backend'
  | 'at-door'
  | 'first-part'
  | 'waiting'
  | 'calling'
  | 'last-part'
  | 'refusing'
  | 'to-client';

/**
 * One sending of a request, from its client to a backend and back. As an event it is the message on its way and the
 * timer of its waits, as work the CPU time it takes, and to the calls made for it the one who waits for them.
 */
export class Attempt extends Event implements GateRequest, Work, RequestOwner {
  readonly request: SimulatedRequest;
  readonly backend: SimulatedBackend;
  /** The process that took it in. */
  process: BackendProcess | undefined;
  readonly attempt: number;
  readonly criticality: Criticality;
  readonly customer: string;
  readonly order: number;
  /** By the clock of the backend. */
  readonly deadlineMs: number;
  stage: Stage = 'to-backend';
  ticket: Ticket<Attempt> | undefined;
  /** The client no longer waits for it. */
  isAbandoned = false;
  /** What it needs of the CPU, at all and after its waits. */
  costMs = 0;
  restMs = 0;
  callsMade = 0;
  /** The one that it waits for now. */
  pendingCall: SimulatedRequest | undefined;
  outcome: Outcome = 'answered';
  report: LoadReport | undefined;
  isDegraded = false;
  /** For the Processor. */
  workPlace = -1;
  workEnd = 0;

  constructor(
    request: SimulatedRequest,
    backend: SimulatedBackend,
    attempt: number,
    clientNow: number,
    now: number,
  ) {
    super();
    this.request = request;
    this.backend = backend;
    this.attempt = attempt;
    this.criticality = request.criticality;
    this.customer = request.customer;
    this.order = request.order;
    // On the wire it is the time that remains: no two clocks have anything in common.
    this.deadlineMs = deadlineAfter(backend.clock.toLocal(now), remainingMs(request.deadlineMs, clientNow));
  }

  happen(now: number): void {
    switch (this.stage) {
      case 'to-backend':
        this.backend.receive(this, now);
        return;
      case 'to-client':
        this.request.link?.onAnswer(this, now);
        return;
      default:
        this.process?.proceed(this, now);
    }
  }

  onWorkDone(now: number): void {
    this.process?.proceed(this, now);
  }

  onEnd(call: SimulatedRequest, end: RequestEnd, now: number): void {
    this.process?.onCallEnd(this, call, end, now);
  }
}
