import type { RequestContext } from '../../context/index.js';

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
  post(cpu: RequestCpu, now: number): void;
}

/**
 * A request in flight is entered into the books whenever it has used this much since the last time, so that one that
 * streams for minutes shows. At most this times the requests in flight is under way to the books at any time.
 */
const POST_MS = 5;

/** What is known of the CPU that one request uses: milliseconds that the event loop was busy with it. */
export class RequestCpu {
  readonly request: Metered;
  readonly sink: CpuSink;
  /** The window in which it began (sampled mode). */
  readonly window: number;
  busyMs = 0;
  postedMs = 0;
  /** The sink is told once this much was used. */
  postAtMs = POST_MS;
  finishedAtMs = Number.POSITIVE_INFINITY;

  constructor(request: Metered, sink: CpuSink, window: number) {
    this.request = request;
    this.sink = sink;
    this.window = window;
  }

  get isFinished(): boolean {
    return this.finishedAtMs < Number.POSITIVE_INFINITY;
  }

  charge(busyMs: number, now: number): void {
    this.busyMs += busyMs;
    if (this.busyMs >= this.postAtMs) this.sink.post(this, now);
  }

  /** What is not in the books yet. It counts as there from now on. */
  takeUnposted(): number {
    const unpostedMs = this.busyMs - this.postedMs;
    this.postedMs = this.busyMs;
    if (!this.isFinished) this.postAtMs = this.busyMs + POST_MS;
    return unpostedMs;
  }

  /** Work after this is posted slice by slice: nothing else will come to take it. */
  finish(now: number): void {
    this.finishedAtMs = now;
    this.postAtMs = 0;
  }

  /** What it does from now on is nobody's. */
  forget(): void {
    this.postAtMs = Number.POSITIVE_INFINITY;
  }
}
