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

/** What is known of the CPU that one request uses: milliseconds that the event loop was busy with it. */
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
  busyMs = 0;
  /** What `finish` has told of it. */
  toldMs = 0;
  /** Whether more of it counts against a quota. */
  isOwed = true;
  /** Is told of more, in normalised CPU-ms: whoever pays for it has paid for the rest already. */
  onLate: ((cpu: RequestCpu, cpuMs: number) => void) | undefined = undefined;
  #unpostedMs = 0;
  /** Answered: whatever it does from now on is entered at once, since nothing else will come to do it. */
  isFinished = false;
  /** Since when the books know that it is. */
  settledAtMs: number | undefined;

  constructor(request: Metered, books: Books, sink: CpuSink, window: number) {
    this.route = request.route;
    this.customer = request.customer;
    this.criticality = request.criticality;
    this.#routeAccount = books.routes.of(request.route);
    this.#customerAccount = books.customers.of(request.customer);
    this.#criticalityAccount = books.criticalities.of(request.criticality);
    this.#sink = sink;
    this.window = window;
  }

  charge(busyMs: number, now: number): void {
    this.busyMs += busyMs;
    this.#unpostedMs += busyMs;
    if (this.isFinished || this.#unpostedMs >= POST_MS) this.#sink.post(this, now);
  }

  /** Enters what is not in the books, and so many requests, 0 or 1. Returns how much it was. */
  post(requests: number): number {
    const unpostedMs = this.#unpostedMs;
    this.#unpostedMs = 0;
    this.#routeAccount.post(unpostedMs, requests);
    this.#customerAccount.post(unpostedMs, requests);
    this.#criticalityAccount.post(unpostedMs, requests);
    return unpostedMs;
  }
}
