import { DEADLINE_MS } from '../deadline.js';
import { Arrivals } from './arrivals.js';
import type { LoadMeter, LoadOutcome } from './load-meter.js';
import type { LoadPlan } from './load-plan.js';
import { Pending, type Waiting } from './pending.js';
import { offeredPerSecond, type PlannedRequest, planRequest } from './request-plan.js';
import type { Sender } from './sender.js';

/**
 * So many wait for an answer at once. Within a deadline of a second a fleet that serves 200 a second is sent 2,000 at ten
 * times its load, and again as many may stand in a line that has grown; what is beyond is lost, and counted as such: a client without a bound would only measure its own memory.
 */
const MOST_IN_FLIGHT = 4_000;

/** Timers are no finer. At 2,000 a second two are sent at once, which no server can tell from one. */
const LEAST_WAIT_MS = 1;
const MOST_WAIT_MS = 100;

/** Sends every request when it is due, whatever became of those before it: clients do not wait for each other. */
export class OpenLoop {
  readonly #sender: Sender;
  readonly #meter: LoadMeter;
  readonly #arrivals = new Arrivals(Math.random);
  readonly #pending = new Pending<Sent>();
  #plan: LoadPlan | undefined = undefined;
  #timer: NodeJS.Timeout | undefined = undefined;

  constructor(sender: Sender, meter: LoadMeter) {
    this.#sender = sender;
    this.#meter = meter;
  }

  offer(plan: LoadPlan): void {
    this.#plan = plan;
    this.#arrivals.setRate(offeredPerSecond(plan), performance.now());
    clearTimeout(this.#timer);
    this.#turn();
  }

  #turn(): void {
    const now = performance.now();
    for (let dueMs = this.#arrivals.nextMs; this.#arrivals.take(now); dueMs = this.#arrivals.nextMs)
      this.#send(dueMs);
    // Whatever becomes of it later on, it is too late by now.
    const expired = () => this.#pending.takeDueBefore(now - DEADLINE_MS);
    for (let sent = expired(); sent !== undefined; sent = expired()) this.#end(sent, 'late');
    const waitMs = Math.min(MOST_WAIT_MS, Math.max(LEAST_WAIT_MS, this.#arrivals.nextMs - performance.now()));
    this.#timer = setTimeout(() => this.#turn(), waitMs);
  }

  #send(dueMs: number): void {
    const request = planRequest(this.#plan!, Math.random);
    this.#meter.offered(request.customer.name, request.criticality);
    const sent: Sent = { dueMs, request, isOver: false };
    if (this.#sender.inFlight >= MOST_IN_FLIGHT) {
      this.#end(sent, 'late');
      return;
    }
    this.#pending.add(sent);
    this.#sender.send(request, dueMs, (outcome) => this.#end(sent, outcome));
  }

  #end(sent: Sent, outcome: LoadOutcome): void {
    if (sent.isOver) return;
    sent.isOver = true;
    const { customer, criticality } = sent.request;
    this.#meter.ended(customer.name, criticality, outcome, performance.now() - sent.dueMs);
  }
}

interface Sent extends Waiting {
  readonly request: PlannedRequest;
}
