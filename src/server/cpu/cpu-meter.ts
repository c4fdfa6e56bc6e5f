import type { EventEmitter } from 'node:events';
import { enterRequest, runInRequest } from '../../context/index.js';
import { elapsedMs } from '../../core/elapsed.js';
import type { Random } from '../../core/environment.js';
import { bindEmitter } from './bind-emitter.js';
import { CpuLedger, type LedgerTotals } from './cpu-ledger.js';
import { type CpuMode, type CpuOptions, checkCpuOptions } from './cpu-options.js';
import { CpuScale } from './cpu-scale.js';
import { type CpuSink, type Metered, RequestCpu } from './metered.js';
import { RouteCosts } from './route-costs.js';
import { SamplingSchedule } from './sampling-schedule.js';
import { SWITCH_MS, sliceClock } from './slice-clock.js';
import { createThreadCpu, type ThreadCpu } from './thread-cpu.js';
import { UnpricedRequests } from './unpriced-requests.js';

/** The books of one guard, in normalised CPU-ms. */
export interface CpuTotals extends LedgerTotals {
  readonly mode: CpuMode;
  readonly machineFactor: number;
  /** CPU-ms in one ms of a busy event loop. */
  readonly scale: number;
  /** Share of the finished requests that were measured themselves. */
  readonly measuredShare: number;
}

/**
 * The books are settled at most this often. Whoever ticks each second does so a little sooner or later by the clock: at a
 * full second every other tick would come too early for it.
 */
const SETTLE_MS = 900;

/**
 * For how long work after the answer is still charged to the request. Some of it never ends: a pooled connection that
 * was opened while serving a request belongs to it by async context.
 */
const LATE_MS = 30_000;

/** Requests of routes from this mean on are dear: to read what the operating system has counted takes a thousandth of it. */
const DEAR_MS = 1;

/** Of all meters of the process, for each to tell its own requests from those of others. */
const books = { requestsMs: 0 };

/**
 * CPU time of each request, across awaits, timers, streams and callbacks, and totals of it by route, customer and
 * criticality. CPU that other threads spend for a request (file system, zlib, crypto) counts as overhead.
 */
export class CpuMeter implements CpuSink {
  readonly #options: CpuOptions;
  readonly #costs: RouteCosts;
  readonly #schedule: SamplingSchedule;
  readonly #scale = new CpuScale();
  readonly #unpriced = new UnpricedRequests();
  readonly #threadCpu: ThreadCpu = createThreadCpu();
  #ledger: CpuLedger;
  #isRunning = false;
  #isHolding = false;
  #timer: NodeJS.Timeout | undefined;
  /** Measured, of the current window, and not finished. */
  #inFlight = 0;
  #finished = 0;
  #measured = 0;

  constructor(random: Random, given?: Partial<CpuOptions>) {
    const options = checkCpuOptions(given);
    const hints = Object.entries(options.hints).map(([route, ms]) => [route, ms / options.machineFactor]);
    this.#options = options;
    this.#costs = new RouteCosts(Object.fromEntries(hints), options.maxRoutes);
    this.#schedule = new SamplingSchedule(options, SWITCH_MS, random);
    this.#ledger = this.#newLedger();
  }

  /** Begins to measure, and the books anew. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#ledger = this.#newLedger();
    if (this.#options.mode === 'exact') this.#hold(true);
    if (this.#options.mode === 'sampled') this.#step();
  }

  /** Every hook and timer is gone then. */
  stop(): void {
    this.#isRunning = false;
    clearTimeout(this.#timer);
    this.#schedule.reset();
    this.#hold(false);
  }

  /** Serves a request: `fn(a, b)` and all that it starts know it (see `runInRequest`) and are charged to it. */
  run<R, A, B>(request: Metered, fn: (a: A, b: B) => R, a: A, b: B): R {
    if (!this.#isHolding) return runInRequest(request, fn, a, b);
    if (this.#options.mode === 'exact' || this.#schedule.isOpen) {
      const isDear = this.#costs.expectedMs(request.route) >= DEAR_MS;
      request.cpu = new RequestCpu(request, this.#ledger, this, this.#schedule.window, isDear);
      this.#inFlight += 1;
    }
    const outer = sliceClock.switchTo(request.cpu);
    try {
      return runInRequest(request, fn, a, b);
    } finally {
      if (outer !== undefined) sliceClock.switchBack();
    }
  }

  /**
   * Listeners of the emitter serve the request, whoever emits. The body of a request needs that: its chunks come from
   * the parser, which belongs to the connection.
   */
  bindEvents(emitter: EventEmitter, request: Metered): void {
    bindEmitter(emitter, this, request);
  }

  /** Goes on with a request that runs already. */
  resume<R, A, B>(request: Metered, fn: (a: A, b: B) => R, a: A, b: B): R {
    if (!this.#isHolding) return enterRequest(request, fn, a, b);
    const outer = sliceClock.switchTo(request.cpu);
    try {
      return enterRequest(request, fn, a, b);
    } finally {
      if (outer !== undefined) sliceClock.switchBack();
    }
  }

  /** The request is answered, or its client is gone. Returns what it has cost, in normalised CPU-ms. */
  finish(request: Metered): number {
    if (request.isCpuSettled) return request.cpuMs;
    request.isCpuSettled = true;
    this.#finished += 1;
    const { cpu, route, customer, criticality } = request;
    if (cpu === undefined) {
      request.cpuMs = this.expectedMs(route);
      if (this.#mayHurry && this.#costs.isNew(route)) this.#hurry();
      if (!this.#isUnpriced(request))
        this.#ledger.postEstimate(route, customer, criticality, request.cpuMs / this.#options.machineFactor);
      return request.cpuMs;
    }
    request.cpuMs = this.#soFarMs(cpu);
    cpu.tell(this.#scale.value);
    cpu.isFinished = true;
    // One that runs just now is posted when its slice ends.
    if (!sliceClock.isRunning(cpu)) this.post(cpu, performance.now());
    this.#measured += 1;
    if (cpu.window === this.#schedule.window) this.#inFlight -= 1;
    return request.cpuMs;
  }

  /** Whether it waits for a price, which it will have soon. */
  #isUnpriced({ route, customer, criticality }: Metered): boolean {
    if (!this.#isRunning || this.#options.mode !== 'sampled' || !this.#costs.isUnknown(route)) return false;
    return this.#unpriced.add(route, customer, criticality, performance.now());
  }

  /** What it has cost so far, in normalised CPU-ms; the mean of its route when it is not measured itself. */
  costOf(request: Metered): number {
    if (request.isCpuSettled) return request.cpuMs;
    return request.cpu === undefined ? this.expectedMs(request.route) : this.#soFarMs(request.cpu);
  }

  /** What a request of this route costs on average, in normalised CPU-ms. */
  expectedMs(route: string): number {
    const { mode, machineFactor } = this.#options;
    const ms = mode === 'off' ? this.#costs.hintedMs(route) : this.#costs.expectedMs(route);
    return ms * machineFactor;
  }

  /** A request in flight has used some CPU, or a finished one still does. */
  post(cpu: RequestCpu, now: number): void {
    const isNews = cpu.isFinished && cpu.settledAtMs === undefined;
    if (isNews) cpu.settledAtMs = now;
    else if (elapsedMs(cpu.settledAtMs ?? now, now) > LATE_MS) return;
    const scale = this.#scale.value;
    const postedMs = cpu.post(isNews ? 1 : 0, scale);
    if (!cpu.isFinished) return;
    if (isNews) this.#costs.teach(cpu.route, cpu.cpuMs(scale));
    else this.#costs.teachMore(cpu.route, postedMs);
    const lateMs = cpu.tell(scale);
    if (lateMs > 0) cpu.onLate?.(cpu, lateMs * this.#options.machineFactor);
  }

  /** Each 100 ms to 1 s, with `process.cpuUsage()`. */
  tick(now: number, cpu: NodeJS.CpuUsage): void {
    const ledger = this.#ledger;
    if (elapsedMs(ledger.settledAtMs, now) < SETTLE_MS) return;
    const processMs = cpuMs(cpu);
    this.#scale.observe((this.#threadCpu() ?? processMs) - sliceClock.readMs, sliceClock.unreadBusyMs(), now);
    const before = ledger.requestsMs;
    this.#unpriced.price(this.#costs, ledger, now);
    ledger.settle(processMs, books.requestsMs - before, this.#scale.value, now);
    books.requestsMs += ledger.requestsMs - before;
    this.#costs.fade(now);
    sliceClock.look();
  }

  totals(): CpuTotals {
    const { mode, machineFactor } = this.#options;
    return {
      mode,
      machineFactor,
      scale: this.#scale.value,
      measuredShare: this.#finished > 0 ? this.#measured / this.#finished : 0,
      ...this.#ledger.totals(machineFactor),
    };
  }

  #soFarMs(cpu: RequestCpu): number {
    sliceClock.catchUp(cpu);
    return cpu.cpuMs(this.#scale.value) * this.#options.machineFactor;
  }

  /** Of what is used from now on. */
  #newLedger(): CpuLedger {
    const { maxRoutes, maxCustomers } = this.#options;
    const processMs = cpuMs(process.cpuUsage());
    return new CpuLedger(maxRoutes, maxCustomers, processMs, books.requestsMs, performance.now());
  }

  #step(): void {
    const wasMeasuring = this.#schedule.isMeasuring;
    const waitMs = this.#schedule.step(
      performance.now(),
      sliceClock.switches,
      cpuMs(process.cpuUsage()),
      this.#inFlight,
    );
    // Those left behind by the last window are not waited for in this one.
    if (!wasMeasuring) this.#inFlight = 0;
    this.#hold(this.#schedule.isMeasuring);
    this.#timer = setTimeout(() => this.#step(), waitMs).unref();
  }

  get #mayHurry(): boolean {
    return this.#isRunning && this.#options.mode === 'sampled' && !this.#schedule.isMeasuring;
  }

  /** The next window opens now: the one after this may be seconds away, and until then a new route costs what all do. */
  #hurry(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#step(), 0).unref();
  }

  #hold(isHolding: boolean): void {
    if (isHolding === this.#isHolding) return;
    this.#isHolding = isHolding;
    if (isHolding) sliceClock.hold();
    else sliceClock.release();
  }
}

function cpuMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}
