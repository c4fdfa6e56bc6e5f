import {
  ConcurrencyLimiter,
  fixedLimit,
  QueuePressure,
  type QueuePressureOptions,
  type RunQueueOptions,
  Thresholds,
  type UtilizationSignal,
} from '../admission/index.js';
import type { QuotaEnforcement } from '../quota/index.js';
import { OverloadAdvice } from '../retrying/index.js';
import type { VirtualLoop } from '../virtual-loop.contract.js';
import { Gate } from './gate.js';
import type { GateParts } from './gate-parts.js';
import type { Refusal } from './refusal.js';
import { type GateRequest, Ticket } from './ticket.js';

export interface ModelRequest extends GateRequest {
  readonly end: (result: 'served' | 'degraded' | Refusal) => void;
}

export interface ServerOptions {
  readonly workers?: number;
  readonly serviceMs: number;
  readonly quota?: QuotaEnforcement;
  readonly thresholds?: Thresholds;
  readonly pressure?: Partial<QueuePressureOptions>;
  readonly queue?: Partial<RunQueueOptions>;
  /** Instead of the queue pressure. */
  readonly signal?: UtilizationSignal;
}

export const REQUEST: Omit<ModelRequest, 'end'> = {
  criticality: 'CRITICAL',
  customer: 'c',
  deadlineMs: Number.POSITIVE_INFINITY,
  attempt: 1,
  order: 0.5,
};

/** A server of so many workers behind a gate with real parts, on virtual time. */
export class ServerModel {
  readonly gate: Gate<ModelRequest>;
  readonly parts: GateParts;
  readonly #loop: VirtualLoop;
  readonly #serviceMs: number;
  #hangsUntilMs = 0;

  constructor(
    loop: VirtualLoop,
    { workers = 1, serviceMs, quota, thresholds, pressure, queue, signal }: ServerOptions,
  ) {
    const lines = thresholds ?? new Thresholds();
    const queuePressure = new QueuePressure(pressure, lines);
    const limiter = new ConcurrencyLimiter(fixedLimit(workers));
    const parts = {
      signal: signal ?? queuePressure,
      thresholds: lines,
      limiter,
      advice: new OverloadAdvice(),
      queuePressure,
    };
    this.#loop = loop;
    this.#serviceMs = serviceMs;
    this.parts = quota === undefined ? parts : { ...parts, quota };
    this.gate = new Gate(this.parts, (ticket, refusal) => ticket.request.end(refusal), queue);
  }

  /** Whatever is running or starts before then is done only after it. */
  hangUntil(instantMs: number): void {
    this.#hangsUntilMs = instantMs;
  }

  send(request: ModelRequest): void {
    const arrived = this.gate.arrive(request, this.#loop.now);
    if (!(arrived instanceof Ticket)) request.end(arrived);
    else this.#run();
  }

  #run(): void {
    for (let ticket = this.gate.take(this.#loop.now); ticket; ticket = this.gate.take(this.#loop.now)) {
      const running = ticket;
      const doneMs = Math.max(this.#loop.now, this.#hangsUntilMs) + this.#serviceMs;
      this.#loop.at(doneMs, () => {
        this.gate.finish(running, false, this.#serviceMs / 1_000, this.#loop.now);
        running.request.end(running.isDegraded ? 'degraded' : 'served');
        this.#run();
      });
    }
  }
}
