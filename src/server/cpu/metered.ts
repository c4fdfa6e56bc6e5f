import type { RequestContext } from '../../context/index.js';
import type { Criticality } from '../../core/criticality.js';
import type { Account } from './accounts.js';
import type { Books } from './cpu-ledger.js';

/** A request whose CPU time is kept account of. The three fields are the meter's to write. */
export interface Metered extends RequestContext {
  /** Undefined unless this request is measured itself. Initially undefined. */
  cpu: RequestCpu | undefined;
  /** What it has cost in normalised CPU-ms, as of `finish`. Initially 0. */
  cpuMs: number;
  /** Whether it is finished, and in the books. Initially false. */
  isCpuSettled: boolean;
  /** The kind of request: one of a few names, never a path with ids in it. */
  readonly route: string;
}

/** Where slices end up. */
export interface CpuSink {
  /** There is something for the books. */
  post(cpu: RequestCpu, now: number): void;
}

/**
 * A request in flight is entered into the books whenever it has used this much since the last time, so that one that
 * streams for minutes shows. At most this times the requests in flight is under way to the books at any time.
 */
const POST_MS = 5;

/**
 * What is known of the CPU that one request uses. Milliseconds that the event loop was busy with it, which are worth
 * less when others want the processor too, and CPU-ms as the operating system has them, of slices that are worth the
 * reading.
 */
export class RequestCpu {
  readonly route: string;
  readonly customer: string;
  readonly criticality: Criticality;
  readonly #routeAccount: Account;
  readonly #customerAccount: Account;
  readonly #criticalityAccount: Account;
  readonly #sink: CpuSink;
  /** The window in which it began (sampled mode). */
  readonly window: number;
  /** Its slices may be long: they are read. */
  readonly isDear: boolean;
  busyMs = 0;
  readMs = 0;
  /** What `finish` has told of them. */
  #toldBusyMs = 0;
  #toldReadMs = 0;
  /** Whether more of it counts against a quota. */
  isOwed = true;
  /** Is told of more, in normalised CPU-ms: whoever pays for it has paid for the rest already. */
  onLate: ((cpu: RequestCpu, cpuMs: number) => void) | undefined = undefined;
  #unpostedBusyMs = 0;
  #unpostedReadMs = 0;
  /** Answered: whatever it does from now on is entered at once, since nothing else will come to do it. */
  isFinished = false;
  /** Since when the books know that it is. */
  settledAtMs: number | undefined;

  constructor(request: Metered, books: Books, sink: CpuSink, window: number, isDear = false) {
    this.route = request.route;
    this.customer = request.customer;
    this.criticality = request.criticality;
    this.#routeAccount = books.routes.of(request.route);
    this.#customerAccount = books.customers.of(request.customer);
    this.#criticalityAccount = books.criticalities.of(request.criticality);
    this.#sink = sink;
    this.window = window;
    this.isDear = isDear;
  }

  /** A slice of which nothing is known but how long it was. */
  charge(busyMs: number, now: number): void {
    this.busyMs += busyMs;
    this.#unpostedBusyMs += busyMs;
    this.#note(now);
  }

  /** One whose CPU was read. */
  chargeRead(readMs: number, now: number): void {
    this.readMs += readMs;
    this.#unpostedReadMs += readMs;
    this.#note(now);
  }

  /** In CPU-ms, when a busy one is worth so many. */
  cpuMs(scale: number): number {
    return this.busyMs * scale + this.readMs;
  }

  /** What was not told before, in CPU-ms. */
  tell(scale: number): number {
    const untoldMs = (this.busyMs - this.#toldBusyMs) * scale + this.readMs - this.#toldReadMs;
    this.#toldBusyMs = this.busyMs;
    this.#toldReadMs = this.readMs;
    return untoldMs;
  }

  /** Enters what is not in the books, and so many requests, 0 or 1. Returns how much it was, in CPU-ms. */
  post(requests: number, scale: number): number {
    const [busyMs, readMs] = [this.#unpostedBusyMs, this.#unpostedReadMs];
    this.#unpostedBusyMs = 0;
    this.#unpostedReadMs = 0;
    this.#routeAccount.post(busyMs, requests, readMs);
    this.#customerAccount.post(busyMs, requests, readMs);
    this.#criticalityAccount.post(busyMs, requests, readMs);
    return busyMs * scale + readMs;
  }

  #note(now: number): void {
    if (this.isFinished || this.#unpostedBusyMs + this.#unpostedReadMs >= POST_MS) this.#sink.post(this, now);
  }
}
