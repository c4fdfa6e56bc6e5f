import type { Random } from '../../core/environment.js';
import { type Refusal, Ticket } from '../../core/gate/index.js';
import type { LoadReport } from '../../core/load-report.js';
import type { Outcome } from '../../core/outcome.js';
import type { Attempt } from './attempt.js';
import { BackendGuard } from './backend-guard.js';
import { type RequestEnd, SimulatedRequest } from './request.js';
import { ServiceLink } from './service-link.js';
import type { SimulatedBackend } from './simulated-backend.js';
import { limitsOf } from './spec/index.js';
import type { World } from './world.js';

/** One life of a backend, from its start to its exit: what it does with requests. The next one has learned nothing. */
export class BackendProcess {
  readonly backend: SimulatedBackend;
  readonly guard: BackendGuard;
  /** By which it calls other services. */
  readonly calls: readonly ServiceLink[];
  readonly #world: World;
  readonly #random: Random;
  readonly #active = new Set<Attempt>();
  #isGone = false;
  readySinceMs = Number.NEGATIVE_INFINITY;

  constructor(backend: SimulatedBackend, world: World, random: Random) {
    const { spec, backends } = backend.service;
    this.backend = backend;
    this.#world = world;
    this.#random = random;
    this.guard = new BackendGuard({
      guard: spec.guard,
      cores: backend.group.cores,
      quota: spec.quota && {
        limits: limitsOf(spec.quota),
        backends: backends.length,
        enforce: spec.quota.enforce,
      },
      onDrop: ({ request }, refusal) => this.#refuse(request, refusal),
    });
    this.calls = spec.calls.map((call) => ServiceLink.toCallee(world, backend, call));
  }

  /** Requests that it holds, in whatever stage. */
  get activeCount(): number {
    return this.#active.size;
  }

  receive(attempt: Attempt, now: number): void {
    attempt.process = this;
    attempt.stage = 'at-door';
    this.#active.add(attempt);
    if (this.#isHeld(attempt)) return;
    this.backend.tally.onArrival(attempt);
    const arrived = this.guard.gate.arrive(attempt, this.backend.clock.toLocal(now));
    if (arrived instanceof Ticket) {
      attempt.ticket = arrived;
      this.run(now);
    } else {
      this.#refuse(attempt, arrived);
    }
  }

  report(now: number): LoadReport {
    return this.guard.gate.loadReport(this.backend.clock.toLocal(now));
  }

  /** Starts what may be started. */
  run(now: number): void {
    if (this.#isGone) return;
    const { gate } = this.guard;
    const local = this.backend.clock.toLocal(now);
    for (let ticket = gate.take(local); ticket !== undefined; ticket = gate.take(local)) {
      this.#begin(ticket.request, ticket.isDegraded, now);
    }
  }

  /** A part of the work is done, or a wait is over. */
  proceed(attempt: Attempt, now: number): void {
    if (this.#isHeld(attempt)) return;
    switch (attempt.stage) {
      case 'at-door':
        this.receive(attempt, now);
        return;
      case 'refusing':
        this.#answer(attempt, attempt.outcome, now);
        return;
      case 'last-part':
        this.#finish(attempt, attempt.outcome, now);
        return;
      case 'first-part': {
        const waitMs = attempt.request.kind.wait.draw(this.#random) * this.backend.group.waitFactor;
        attempt.stage = 'waiting';
        if (waitMs > 0) this.#world.kernel.after(waitMs, attempt);
        else this.#callNext(attempt, now);
        return;
      }
      default:
        this.#callNext(attempt, now);
    }
  }

  /** A call made for this attempt is over. */
  onCallEnd(attempt: Attempt, call: SimulatedRequest, end: RequestEnd, now: number): void {
    attempt.pendingCall = undefined;
    if (end === 'served' || end === 'degraded') {
      this.#callNext(attempt, now);
      return;
    }
    // The rest of the work is not done.
    attempt.costMs -= attempt.restMs;
    // An overload error that leaves a handler unhandled is answered as "don't retry".
    this.#finish(attempt, call.call!.above, now);
  }

  /** The client has given up. Who waits for its turn need not get it; what runs, runs. */
  abort(attempt: Attempt, now: number): void {
    const { ticket } = attempt;
    if (this.#isGone || ticket?.state !== 'queued') return;
    this.guard.gate.abandon(ticket, 0, this.backend.clock.toLocal(now));
    this.#active.delete(attempt);
  }

  /** Whatever it still holds is lost, and its clients see their connections break. */
  exit(): void {
    const { now } = this.#world.kernel;
    this.#isGone = true;
    for (const attempt of this.#active) {
      const { pendingCall } = attempt;
      if (pendingCall !== undefined) pendingCall.link!.breakOff(pendingCall, now);
      this.backend.machine.processor.remove(attempt);
      this.#world.kernel.cancel(attempt);
      this.backend.send(attempt, 'broken', undefined);
    }
    this.#active.clear();
    for (const link of this.calls) link.close();
  }

  /** What comes to a process that stands still waits, at its door if it is new. */
  #isHeld(attempt: Attempt): boolean {
    const { isPaused, pausedUntilMs } = this.backend.machine;
    if (isPaused) this.#world.kernel.at(pausedUntilMs, attempt);
    return isPaused;
  }

  #begin(attempt: Attempt, isDegraded: boolean, now: number): void {
    const { kind } = attempt.request;
    const { group, service } = this.backend;
    const { guard } = service.spec;
    const isSinking = group.failsFastShare > 0 && this.#random() < group.failsFastShare;
    const isFailing = kind.failureShare > 0 && this.#random() < kind.failureShare;
    const full = kind.cost.draw(this.#random) * this.#warmupFactor(now);
    attempt.costMs = isSinking ? 0 : isDegraded && guard ? full * (guard.degradedCost ?? 1) : full;
    attempt.isDegraded = isDegraded;
    if (isSinking || isFailing) attempt.outcome = 'failed';
    const hasMiddle = !isDegraded && !isSinking && (kind.wait.mean > 0 || this.calls.length > 0);
    attempt.stage = hasMiddle ? 'first-part' : 'last-part';
    attempt.restMs = hasMiddle ? attempt.costMs / 2 : 0;
    this.backend.machine.processor.add(attempt, attempt.costMs - attempt.restMs);
  }

  /** One after the other; then the rest of the work. */
  #callNext(attempt: Attempt, now: number): void {
    let left = attempt.callsMade;
    for (const link of this.calls) {
      if (left >= link.times) {
        left -= link.times;
        continue;
      }
      attempt.callsMade++;
      attempt.stage = 'calling';
      attempt.pendingCall = new SimulatedRequest(attempt, link.kind, attempt, attempt.deadlineMs, true, now);
      link.start(attempt.pendingCall, now);
      return;
    }
    attempt.stage = 'last-part';
    this.backend.machine.processor.add(attempt, attempt.restMs);
  }

  #finish(attempt: Attempt, outcome: Outcome, now: number): void {
    const { clock, machine, tally } = this.backend;
    const { gate } = this.guard;
    const cpuSeconds = machine.cpuSeconds(attempt.costMs);
    const local = clock.toLocal(now);
    // A request that nobody waits for any more says nothing of how long answers take. A server without a guard does not
    // know that nobody does: to it a handler that has ended is a request served.
    if (attempt.isAbandoned && this.backend.service.spec.guard)
      gate.abandon(attempt.ticket!, cpuSeconds, local);
    else gate.finish(attempt.ticket!, outcome !== 'answered', cpuSeconds, local);
    tally.onFinished(attempt, outcome);
    this.#answer(attempt, outcome, now);
    this.run(now);
  }

  #refuse(attempt: Attempt, { answer, reason }: Refusal): void {
    const { guard } = this.backend.service.spec;
    this.backend.tally.onRefused(attempt, reason);
    // To one whose deadline has passed nobody listens: to its client it is a request that was never answered.
    attempt.outcome = answer === 'late' ? 'broken' : answer;
    attempt.stage = 'refusing';
    this.backend.machine.processor.add(attempt, guard ? guard.refusalCostMs : 0);
  }

  #answer(attempt: Attempt, outcome: Outcome, now: number): void {
    this.#active.delete(attempt);
    this.backend.send(attempt, outcome, this.report(now));
  }

  #warmupFactor(now: number): number {
    const { warmup } = this.backend.service.spec;
    if (warmup === undefined) return 1;
    const warm = Math.min(1, (now - this.readySinceMs) / warmup.forMs);
    return warmup.factor + (1 - warmup.factor) * warm;
  }
}
