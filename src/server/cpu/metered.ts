import type { RequestContext } from '../../context/index.js';
import type { LedgerEntry } from './cpu-ledger.js';

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
  readonly sink: CpuSink;
  readonly entry: LedgerEntry;
  /** The window in which it began (sampled mode). */
  readonly window: number;
  busyMs = 0;
  /** The part of it that is not in the books. */
  unpostedMs = 0;
  /** Answered: whatever it does from now on is entered at once, since nothing else will come to do it. */
  isFinished = false;
  /** Since when the books know that it is. */
  settledAtMs: number | undefined;

  constructor(route: string, sink: CpuSink, entry: LedgerEntry, window: number) {
    this.route = route;
    this.sink = sink;
    this.entry = entry;
    this.window = window;
  }

  charge(busyMs: number, now: number): void {
    this.busyMs += busyMs;
    this.unpostedMs += busyMs;
    if (this.isFinished || this.unpostedMs >= POST_MS) this.sink.post(this, now);
  }

  takeUnposted(): number {
    const { unpostedMs } = this;
    this.unpostedMs = 0;
    return unpostedMs;
  }
}
