import { type Call, Caller } from '../../core/call/index.js';
import type { Random } from '../../core/environment.js';
import { Roster } from '../../core/health/index.js';
import type { Outcome } from '../../core/outcome.js';
import { createPicker, type Picker, type PolicyOptions } from '../../core/picking/index.js';
import { RetryBudget } from '../../core/retrying/index.js';
import { Subset } from '../../core/subsetting/index.js';
import { AdaptiveThrottle } from '../../core/throttling/index.js';
import type { Event } from '../kernel/event.js';
import { Timer } from '../kernel/timer.js';
import { Abort } from './abort.js';
import { Attempt } from './attempt.js';
import type { Kind } from './kind.js';
import { Probes } from './probes.js';
import type { RequestEnd, SimulatedRequest } from './request.js';
import { endOf, endOfRefusal } from './request-end.js';
import type { SimulatedBackend } from './simulated-backend.js';
import type { SimulatedService } from './simulated-service.js';
import type { CallSpec, LinkSpec } from './spec/index.js';
import type { Process, World } from './world.js';

export interface LinkOptions {
  readonly service: SimulatedService;
  readonly process: Process;
  readonly spec: LinkSpec;
  /** Small and without gaps: what subsets are chosen by. */
  readonly clientId: number;
  /** Only backends there. */
  readonly locality?: string;
  /** How often a handler calls it. */
  readonly times?: number;
  /** Which kind of request that is; the first when not given. */
  readonly kind?: string | undefined;
  /** Asked before each retry. */
  readonly tryTakeCapacity?: (localMs: number) => boolean;
}

/** A throttle that lets everything through: it refuses nothing before so many requests are counted. */
const NO_THROTTLE = { minimumRequests: Number.MAX_SAFE_INTEGER };

/** One process's use of a service: its subset, what it knows of each backend, and the decisions for its requests. */
export class ServiceLink {
  readonly service: SimulatedService;
  readonly process: Process;
  readonly caller: Caller<SimulatedRequest>;
  readonly roster: Roster;
  readonly budget: RetryBudget;
  readonly times: number;
  readonly kind: Kind;
  readonly #world: World;
  readonly #picker: Picker;
  readonly #probes: Probes | undefined;
  readonly #subset: Subset | undefined;
  #isClosed = false;
  readonly #expiry = new Timer((now) => this.#expire(now));
  /** Told of every load report. */
  onReport: ((backend: SimulatedBackend, utilization: number) => void) | undefined;

  constructor(world: World, options: LinkOptions) {
    const { service, process, spec, clientId, locality } = options;
    const random = world.streams.next();
    this.#world = world;
    this.service = service;
    this.process = process;
    this.times = options.times ?? 1;
    this.kind = service.kinds.find(({ name }) => name === options.kind) ?? service.kinds[0]!;
    this.roster = new Roster({ activeLimit: spec.activeLimit, outliers: spec.ejects ? {} : false });
    this.#picker = createPicker(this.roster, random, spec.policy as PolicyOptions);
    this.budget = new RetryBudget({ ratio: spec.retry.budget });
    const parts = { service: service.name, roster: this.roster, picker: this.#picker, budget: this.budget };
    const throttle = newThrottle(spec, random);
    const { tryTakeCapacity } = options;
    this.caller = new Caller(
      { ...parts, throttle, ...(tryTakeCapacity === undefined ? {} : { tryTakeCapacity }) },
      { maxAttempts: spec.retry.maxAttempts },
    );
    const backends = service.backends.filter(
      (backend) => locality === undefined || backend.locality === locality,
    );
    const keys = backends.map(({ key }) => key);
    if (spec.subset !== undefined) {
      const { size, algorithm } = spec.subset;
      this.#subset = new Subset({ size, algorithm, clientId });
      this.#subset.update(keys);
    }
    this.#adopt(this.#subset?.members ?? keys, world.kernel.now);
    const { probing } = this.#picker;
    if (probing !== undefined) this.#probes = new Probes(world, this, probing);
  }

  /** A backend's link to a service that its handlers call. Its place among its siblings is its client id. */
  static toCallee(world: World, caller: SimulatedBackend, call: CallSpec): ServiceLink {
    const service = world.service(call.service);
    const clientId = caller.service.backends.indexOf(caller);
    const { times, kind } = call;
    return new ServiceLink(world, { service, process: caller, spec: call, clientId, times, kind });
  }

  /** Its requests in whatever stage, as the roster counts them. */
  get activeCount(): number {
    let active = 0;
    for (const backend of this.roster.members()) active += backend.active;
    return active;
  }

  /** Those without a backend for now. */
  get waitingCount(): number {
    return this.caller.line.size;
  }

  start(request: SimulatedRequest, now: number): void {
    const local = this.process.clock.toLocal(now);
    request.link = this;
    this.#world.kernel.at(Math.max(now, this.process.clock.toGlobal(request.deadlineMs)), request);
    request.call = this.caller.start(request, local);
    this.#follow(request, now, local);
  }

  onAnswer(attempt: Attempt, now: number): void {
    const { request, report, backend } = attempt;
    if (this.isHeld(attempt, now)) return;
    if (report?.applicationUtilization !== undefined) this.onReport?.(backend, report.applicationUtilization);
    this.#settle(request, attempt.outcome, now, attempt);
  }

  /** Nothing more will be waited for. */
  onDeadline(request: SimulatedRequest, now: number): void {
    const { clock } = this.process;
    if (this.isHeld(request, now)) return;
    // A clock that has been changed since: it is not over yet.
    if (clock.toLocal(now) < request.deadlineMs) {
      this.#world.kernel.at(clock.toGlobal(request.deadlineMs), request);
    } else if (request.call!.step === 'send') {
      this.#giveUp(request, now);
      this.#settle(request, 'broken', now, undefined);
    }
    // Whoever waits for a backend has a timer of its own, for the same instant or an earlier one.
  }

  /** Whoever made it is gone: nobody is told how it ends. */
  breakOff(request: SimulatedRequest, now: number): void {
    const call = request.call!;
    this.#world.kernel.cancel(request);
    request.isEnded = true;
    if (call.step === 'send') this.#giveUp(request, now);
    call.abort(this.process.clock.toLocal(now));
  }

  /** The process is gone: it asks nothing any more, and hears of nothing. */
  close(): void {
    // All that it asked has been broken off: whatever is still held was lost on the way.
    if (this.activeCount + this.waitingCount > 0) throw new Error('a closed link still holds requests');
    this.#isClosed = true;
    this.#probes?.stop();
    this.#world.kernel.cancel(this.#expiry);
    for (const backend of this.service.backends) backend.detach(this);
    this.roster.update([]);
  }

  /** Something has become of a backend. */
  onNotice(backend: SimulatedBackend, now: number): void {
    if (this.#isClosed) return;
    const local = this.process.clock.toLocal(now);
    const { connection } = backend;
    if (this.#subset !== undefined) {
      // Whoever takes no requests is replaced at once, and has its place back when it is ready.
      const { joined, left } = this.#subset.setUp(backend.key, connection === 'ready');
      if (joined.length + left.length > 0) this.#adopt(joined, now);
    }
    this.roster.mark(backend.key, connection, local);
    this.#resume(now, local);
  }

  /** Some have joined. One that is down has said so when nobody here listened to it: another one stands in for it. */
  #adopt(joined: readonly string[], now: number): void {
    const local = this.process.clock.toLocal(now);
    const adopted = [...joined];
    for (const key of adopted) {
      const backend = this.service.backend(key);
      backend.attach(this);
      if (this.#subset !== undefined && backend.connection !== 'ready')
        adopted.push(...this.#subset.setUp(key, false).joined);
    }
    this.roster.update(this.#subset?.members ?? adopted);
    for (const key of adopted) this.roster.mark(key, this.service.backend(key).connection, local);
  }

  /** What comes to a process that stands still waits. */
  isHeld(event: Event, now: number): boolean {
    const { pausedUntilMs } = this.process;
    if (now >= pausedUntilMs) return false;
    this.#world.kernel.at(pausedUntilMs, event);
    return true;
  }

  #settle(request: SimulatedRequest, outcome: Outcome, now: number, attempt: Attempt | undefined): void {
    if (request.isEnded) return;
    const local = this.process.clock.toLocal(now);
    const isDegraded = attempt?.isDegraded ?? false;
    request.attempt = undefined;
    request.call!.onOutcome(outcome, local, attempt?.report);
    this.#follow(request, now, local, isDegraded);
    this.#resume(now, local);
  }

  #follow(request: SimulatedRequest, now: number, local: number, isDegraded = false): void {
    const call = request.call!;
    switch (call.step) {
      case 'send':
        this.#send(request, call, now, local);
        return;
      case 'wait':
        this.#setExpiry(now);
        return;
      case 'answer':
        this.#end(request, endOf(call.outcome!, isDegraded, local >= request.deadlineMs), now);
        return;
      default:
        if (call.thrown !== undefined) throw call.thrown;
        this.#end(request, endOfRefusal(call.code), now);
    }
  }

  #send(request: SimulatedRequest, call: Call, now: number, local: number): void {
    const backend = this.service.backend(call.backend!.key);
    const attempt = new Attempt(request, backend, call.attempt, local, now);
    request.attempt = attempt;
    const delayMs = this.#world.network.delayMs(this.process.locality, backend.locality);
    this.#world.kernel.after(this.process.isPartitioned ? Number.POSITIVE_INFINITY : delayMs, attempt);
    this.#probes?.send(now, local);
  }

  #giveUp(request: SimulatedRequest, now: number): void {
    const attempt = request.attempt!;
    attempt.isAbandoned = true;
    const { locality } = attempt.backend;
    this.#world.kernel.at(
      now + this.#world.network.reliableDelayMs(this.process.locality, locality),
      new Abort(attempt),
    );
  }

  #end(request: SimulatedRequest, end: RequestEnd, now: number): void {
    if (request.isEnded) throw new Error('a request has ended twice');
    this.#world.kernel.cancel(request);
    request.isEnded = true;
    request.owner.onEnd(request, end, now);
  }

  /** Those that waited, for as long as there is room. */
  #resume(now: number, local: number): void {
    if (this.waitingCount === 0) return;
    for (let call = this.caller.resume(local); call !== undefined; call = this.caller.resume(local)) {
      this.#follow(call.request, now, local);
    }
    this.#setExpiry(now);
  }

  #expire(now: number): void {
    if (this.isHeld(this.#expiry, now)) return;
    const local = this.process.clock.toLocal(now);
    for (let call = this.caller.expire(local); call !== undefined; call = this.caller.expire(local)) {
      this.#follow(call.request, now, local);
    }
    this.#setExpiry(now);
  }

  #setExpiry(now: number): void {
    const { nextExpiryMs } = this.caller;
    const atMs =
      nextExpiryMs === undefined ? Number.POSITIVE_INFINITY : this.process.clock.toGlobal(nextExpiryMs);
    this.#world.kernel.at(Math.max(now, atMs), this.#expiry);
  }
}

function newThrottle({ throttle }: LinkSpec, random: Random): AdaptiveThrottle {
  return new AdaptiveThrottle(random, throttle === false ? NO_THROTTLE : throttle);
}
