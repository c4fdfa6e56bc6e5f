import type { QueuedRequest } from '../admission/run-queue.js';
import type { Criticality } from '../criticality.js';
import { type Assumption, NOTHING_ASSUMED } from '../quota/assumption.js';

/** What a request tells the gate. Everything here was checked, or made, by whoever decoded it. */
export interface GateRequest {
  readonly criticality: Criticality;
  readonly customer: string;
  /** An instant; Infinity when there is none. */
  readonly deadlineMs: number;
  /** 1 = first. */
  readonly attempt: number;
  /** Its place in the order of refusal, from its trace id (see `refusalOrder`). */
  readonly order: number;
}

/** A request that was let in: queued, then running, then done. */
export class Ticket<R extends GateRequest = GateRequest> implements QueuedRequest {
  readonly request: R;
  readonly criticality: Criticality;
  readonly customer: string;
  readonly deadlineMs: number;
  /** To be answered by the cheaper handler. */
  readonly isDegraded: boolean;
  state: 'queued' | 'running' | 'done' = 'queued';
  /** It runs, and does not count as running: it waits for its client. See `Gate.detach`. */
  isDetached = false;
  /** For the run queue. */
  queuePlace: object | undefined = undefined;
  readonly arrivedMs: number;
  /** Let in before it and not done yet. */
  readonly inFlightAtArrival: number;
  /** What the quota assumed of it. */
  assumed: Assumption = NOTHING_ASSUMED;
  /** When it began to run. */
  startedMs = 0;

  constructor(request: R, isDegraded: boolean, inFlight: number, now: number) {
    this.request = request;
    this.criticality = request.criticality;
    this.customer = request.customer;
    this.deadlineMs = request.deadlineMs;
    this.isDegraded = isDegraded;
    this.inFlightAtArrival = inFlight;
    this.arrivedMs = now;
  }
}
