import { type DropReason, RunQueue } from '../admission/run-queue.js';
import type { RunQueueOptions } from '../admission/run-queue-options.js';
import { checkNonNegative } from '../check.js';
import { elapsedMs } from '../elapsed.js';
import type { LoadReport } from '../load-report.js';
import { AdmissionOrder } from './admission-order.js';
import { GATE_QUEUE_DEFAULTS, type GateParts, type GateState } from './gate-parts.js';
import { LoadReporter } from './load-reporter.js';
import { NOT_READY, type Refusal, SHED_BY_EVICTION, SHED_BY_QUEUE, TOO_LATE } from './refusal.js';
import { type GateRequest, Ticket } from './ticket.js';

/**
 * One server's decisions in their order: lame duck · deadline · quota · thresholds · queue, then which error to answer.
 * It runs nothing: the driver hands arrivals in, takes out what is to run while there is time for it, and says when it
 * is done. Whoever was let in is owed an end: `finish`, `abandon`, or the refusal told through `onDrop`.
 */
export class Gate<R extends GateRequest = GateRequest> {
  readonly #parts: GateParts;
  readonly #queue: RunQueue<Ticket<R>>;
  readonly #reporter: LoadReporter;
  readonly #onDrop: (ticket: Ticket<R>, refusal: Refusal) => void;
  readonly #order: AdmissionOrder;

  constructor(
    parts: GateParts,
    onDrop: (ticket: Ticket<R>, refusal: Refusal) => void,
    queue?: Partial<RunQueueOptions>,
  ) {
    this.#parts = parts;
    this.#onDrop = onDrop;
    this.#order = new AdmissionOrder(parts);
    this.#reporter = new LoadReporter(parts.load ?? parts.signal);
    const drop = (ticket: Ticket<R>, reason: DropReason, now: number) => this.#dropped(ticket, reason, now);
    this.#queue = new RunQueue(drop, { ...GATE_QUEUE_DEFAULTS, ...queue });
  }

  get state(): GateState {
    return this.#order.state;
  }

  set state(state: GateState) {
    this.#order.state = state;
  }

  /** Requests let in and not done, waiting or running. */
  get inFlight(): number {
    return this.#reporter.inFlight;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /**
   * Lets a request in, to wait for its turn, or says why not. When the driver `isIdle`, so that it would `take` right
   * away, and nobody waits, the ticket may be running already: as if taken, for a third of the price.
   */
  arrive(request: R, now: number, isIdle = false): Ticket<R> | Refusal {
    const { quota, advice, queuePressure } = this.#parts;
    const decision = this.#order.decide(request, now);
    if (decision !== 'admit' && decision !== 'degrade') return decision;
    const ticket = new Ticket(request, decision === 'degrade', this.inFlight, now);
    if (quota !== undefined) ticket.assumed = quota.assumed;
    // Counted before the queue tells of those that have to go for it: whoever hears of that may look.
    this.#reporter.inFlight++;
    if (isIdle && this.#queue.size === 0 && this.#parts.limiter.tryAcquire(now)) {
      this.#queue.pass(now);
      this.#begin(ticket, now);
      return ticket;
    }
    if (!this.#queue.push(ticket, now)) {
      this.#leave(ticket);
      this.#giveBack(ticket, now);
      // It would have waited longer than the queue allows. If only the waits of those it lets in were seen, a short
      // queue would look healthy just because it refuses.
      queuePressure.observeDropped(this.#queue.maxWaitMs, now);
      return SHED_BY_QUEUE[advice.errorFor(now)];
    }
    queuePressure.waiting = this.#queue.size;
    return ticket;
  }

  /**
   * For what will wait in a line of its own that yields to everybody else, such as requests of batch jobs: how loaded it is
   * here does not keep it out, or thousands that come at once would be refused for their number. It takes nobody's place.
   */
  arriveAside(request: R, now: number): Ticket<R> | Refusal {
    const { quota } = this.#parts;
    const refusal = this.#order.refusalAside(request, now);
    if (refusal !== undefined) return refusal;
    const ticket = new Ticket(request, false, this.inFlight, now);
    if (quota !== undefined) ticket.assumed = quota.assumed;
    this.#reporter.inFlight++;
    ticket.state = 'running';
    ticket.startedMs = now;
    ticket.isDetached = true;
    return ticket;
  }

  /** The next one to run; undefined when nobody waits or as many run as may. */
  take(now: number): Ticket<R> | undefined {
    const { limiter, queuePressure } = this.#parts;
    if (this.#queue.size === 0 || !limiter.tryAcquire(now)) return undefined;
    this.#queue.isShedding = queuePressure.isPressing;
    let ticket: Ticket<R> | undefined;
    try {
      ticket = this.#queue.take(now);
    } finally {
      // Also when whoever is told of a dropped one throws: the permit must not go with it.
      if (ticket === undefined) limiter.cancel();
      queuePressure.waiting = this.#queue.size;
    }
    if (ticket !== undefined) this.#begin(ticket, now);
    return ticket;
  }

  /** It ran and was answered. `cost` is in the quota's unit, CPU-seconds as a rule. */
  finish(ticket: Ticket<R>, isError: boolean, cost: number, now: number): void {
    checkNonNegative('cost', cost);
    if (ticket.state !== 'running') throw new Error(`a ticket was finished that is ${ticket.state}`);
    const { limiter } = this.#parts;
    this.#leave(ticket);
    if (!ticket.isDetached) limiter.release(ticket.startedMs, now);
    const latencyMs = elapsedMs(ticket.arrivedMs, now);
    this.#reporter.onServed(ticket.inFlightAtArrival, latencyMs, isError, now);
    this.#charge(ticket, cost, now);
  }

  /**
   * The client went away, and the work, if it ran, is over or was broken off. What it cost until then is charged; nothing
   * is learned of how long answers take. The slot that it frees counts as any other: if all callers gave up before their
   * answers, a concurrency limit that is too high would never hear of it.
   */
  abandon(ticket: Ticket<R>, cost: number, now: number): void {
    checkNonNegative('cost', cost);
    const { limiter, queuePressure } = this.#parts;
    const { state } = ticket;
    if (state === 'done') return;
    this.#leave(ticket);
    if (state === 'queued') {
      this.#queue.remove(ticket);
      queuePressure.waiting = this.#queue.size;
      this.#giveBack(ticket, now);
    } else {
      if (!ticket.isDetached) limiter.release(ticket.startedMs, now);
      this.#charge(ticket, cost, now);
    }
  }

  /**
   * It runs, but only its client keeps it from ending: a body that does not come, an answer that is not read, a stream. It
   * no longer counts against how many may run at once, or a handful of slow clients would lock all others out.
   */
  detach(ticket: Ticket<R>): void {
    if (ticket.state !== 'running' || ticket.isDetached) return;
    ticket.isDetached = true;
    this.#parts.limiter.cancel();
  }

  /**
   * Tells those that have waited too long, or past their deadlines, while no more may run: nobody would take them out
   * otherwise.
   */
  expire(now: number): void {
    this.#queue.expire(now);
    this.#parts.queuePressure.waiting = this.#queue.size;
  }

  /** The drain is over: nobody is let in any more, and who still waits is sent elsewhere. What runs may end. */
  close(now: number): void {
    this.state = 'closed';
    for (let ticket = this.#queue.take(now); ticket !== undefined; ticket = this.#queue.take(now)) {
      this.#leave(ticket);
      this.#giveBack(ticket, now);
      this.#onDrop(ticket, NOT_READY);
    }
    this.#parts.queuePressure.waiting = 0;
  }

  /** For every answer and health check. */
  loadReport(now: number): LoadReport {
    return this.#reporter.report(now);
  }

  /** The numbers behind the decisions, as plain data. */
  explain(now: number) {
    const { signal, thresholds, limiter, advice } = this.#parts;
    const utilization = signal.utilization(now);
    return {
      state: this.state,
      utilization,
      refusedShares: thresholds.explain(utilization),
      limit: limiter.limit,
      running: limiter.inFlight,
      queue: this.#queue.explain(now),
      advice: advice.explain(now),
    };
  }

  #begin(ticket: Ticket<R>, now: number): void {
    const { queuePressure } = this.#parts;
    queuePressure.takeIntervalMs = this.#queue.takeIntervalMs(now);
    queuePressure.observe(this.#queue.lastWaitMs, now);
    ticket.state = 'running';
    ticket.startedMs = now;
  }

  #leave(ticket: Ticket<R>): void {
    ticket.state = 'done';
    this.#reporter.inFlight--;
  }

  #charge({ customer, criticality, assumed }: Ticket<R>, cost: number, now: number): void {
    this.#parts.quota?.charge(customer, criticality, cost, now, assumed);
  }

  #giveBack({ customer, criticality, assumed }: Ticket<R>, now: number): void {
    this.#parts.quota?.cancel(customer, criticality, now, assumed);
  }

  #dropped(ticket: Ticket<R>, reason: DropReason, now: number): void {
    const { advice, queuePressure } = this.#parts;
    this.#leave(ticket);
    this.#giveBack(ticket, now);
    queuePressure.observeDropped(elapsedMs(ticket.arrivedMs, now), now);
    this.#onDrop(ticket, reason === 'expired' ? TOO_LATE : SHED_BY_EVICTION[advice.errorFor(now)]);
  }
}
