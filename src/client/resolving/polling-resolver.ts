import { BackendNews } from './backend-news.js';
import { PollSchedule, type PollScheduleOptions } from './poll-schedule.js';
import type { Resolver, ResolverListener } from './resolver.js';

/** What one look found. */
export interface Found {
  /** Undefined: nothing that is new. */
  readonly backends: readonly unknown[] | undefined;
  /** For how long it holds. */
  readonly validMs: number;
  /** What went wrong on the side. */
  readonly problem?: Error | undefined;
}

/** Where a polling resolver looks. */
export interface Place {
  /** Ends within a bounded time, whatever happens. */
  look(): Promise<Found>;
  /** Called once it is used; `wake` asks for a look when something may have changed. */
  open?(wake: () => void): void;
  close(): void;
}

/** Looks again and again, by its schedule, one look at a time. It keeps no process alive. */
export class PollingResolver implements Resolver {
  readonly name: string;
  readonly #place: Place;
  readonly #news: BackendNews;
  readonly #schedule: PollSchedule;
  #isStarted = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(name: string, source: string, options: PollScheduleOptions, place: Place) {
    this.name = name;
    this.#place = place;
    this.#news = new BackendNews(source);
    this.#schedule = new PollSchedule(options, Math.random);
  }

  start(listener: ResolverListener): void {
    this.#news.listen(listener);
    this.#isStarted = true;
    this.#place.open?.(() => this.refresh());
    void this.#run();
  }

  refresh(): void {
    if (!this.#isStarted) return;
    this.#schedule.refresh(performance.now());
    this.#arm();
  }

  close(): void {
    if (this.#news.isClosed) return;
    this.#news.close();
    clearTimeout(this.#timer);
    this.#place.close();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const waitMs = this.#schedule.waitMs(performance.now());
    if (waitMs === undefined || this.#news.isClosed) return;
    this.#timer = setTimeout(() => this.#runWhenDue(), Math.ceil(waitMs)).unref();
  }

  #runWhenDue(): void {
    // A timer may fire a little early.
    if (this.#schedule.waitMs(performance.now()) === 0) void this.#run();
    else this.#arm();
  }

  async #run(): Promise<void> {
    this.#schedule.begin(performance.now());
    try {
      const { backends, validMs, problem } = await this.#place.look();
      this.#schedule.succeeded(performance.now(), validMs);
      if (problem !== undefined) this.#news.fail(problem);
      if (backends !== undefined) this.#news.tell(backends);
    } catch (error) {
      this.#schedule.failed(performance.now());
      this.#news.fail(error);
    }
    this.#arm();
  }
}
