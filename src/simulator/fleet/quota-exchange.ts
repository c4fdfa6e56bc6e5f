import {
  QuotaCoordinator,
  type QuotaCoordinatorOptions,
  type QuotaLevels,
  type UsageReport,
} from '../../core/quota/index.js';
import { Timer } from '../kernel/timer.js';
import { LocalClock } from '../models/index.js';
import { QuotaReporter } from './quota-reporter.js';
import type { SimulatedService } from './simulated-service.js';
import { limitsOf, type QuotaSpec } from './spec/index.js';
import { newClock, type World } from './world.js';

/** A mastership in Redis lasts that long at the most after whoever had it was last heard. */
const TAKEOVER_MS = 1_500;

/** Everybody comes back, but not all at once. */
const RECONNECT_MS = 1_000;

/** Who has been silent for so long is not kept. */
const DROP_MS = 10_000;

/** The last that a backend said, and how many had been said before. */
interface Kept {
  readonly report: UsageReport;
  readonly sequence: number;
  readonly atMs: number;
}

/**
 * Where the backends of a service and the coordinator of its quota leave word for each other, as real ones do in Redis:
 * it keeps the last report of each and the last levels, and passes these on to all. Ages of reports are by its own
 * clock, which is the kernel's.
 */
export class QuotaExchange {
  readonly #service: SimulatedService;
  readonly #quota: QuotaSpec;
  readonly #world: World;
  /** Of whoever is the coordinator. */
  #clock = new LocalClock();
  readonly #tick = new Timer((now) => this.#coordinate(now));
  readonly #takeover = new Timer((now) => this.#beginTerm(now));
  #reporters: readonly QuotaReporter[] = [];
  readonly #kept = new Map<string, Kept>();
  #received = 0;
  #levels: QuotaLevels | undefined;
  #coordinator: QuotaCoordinator | undefined;
  #token = 0;
  /** Reports up to this one the coordinator has read. */
  #read = 0;
  /** Faults that keep it from working, or from being reached, now. */
  #coordinatorFaults = 0;
  #exchangeFaults = 0;

  constructor(service: SimulatedService, quota: QuotaSpec, world: World) {
    this.#service = service;
    this.#quota = quota;
    this.#world = world;
  }

  /** As if it had always been there: somebody is elected, who has yet to hear of anybody. */
  start(): void {
    const { everyMs } = this.#quota;
    // Drawn after all that clients draw: with a quota or without, they ask for the same.
    const random = this.#world.streams.next();
    this.#clock = newClock(random);
    this.#reporters = this.#service.backends.map(
      (backend) => new QuotaReporter(this, backend, everyMs, random(), this.#world),
    );
    // Each at a time of its own: nobody sees to it that they take turns.
    this.#reportWithin(everyMs);
    this.#beginTerm(this.#world.kernel.now);
    this.#world.kernel.after(everyMs, this.#tick);
  }

  /** Where it is: among the backends. */
  get locality(): string {
    return this.#service.backends[0]!.locality;
  }

  get isReachable(): boolean {
    return this.#exchangeFaults === 0;
  }

  /** Undefined while there is none. */
  get coordinator(): QuotaCoordinator | undefined {
    return this.#coordinator;
  }

  /** A report has arrived. Who missed the last levels gets them in answer. */
  receive(reporter: QuotaReporter, sender: string, report: UsageReport, now: number): void {
    if (!this.isReachable) return;
    this.#kept.set(sender, { report, sequence: ++this.#received, atMs: now });
    if (this.#levels !== undefined && reporter.lacks(this.#levels)) reporter.tell(this.#levels);
  }

  loseCoordinator(): void {
    this.#coordinatorFaults++;
    this.#endTerm();
  }

  /** The end of one such fault. */
  replaceCoordinator(): void {
    this.#coordinatorFaults--;
    this.#beginTerm(this.#world.kernel.now);
  }

  /** Nobody reaches it any more: neither can anybody know that he is still the coordinator. */
  cutOff(): void {
    this.#exchangeFaults++;
    this.#endTerm();
  }

  /** The end of one such fault. It has forgotten everything, and who was coordinator may believe it for a while. */
  reconnect(): void {
    this.#exchangeFaults--;
    this.#kept.clear();
    this.#levels = undefined;
    if (!this.isReachable) return;
    this.#world.kernel.after(TAKEOVER_MS, this.#takeover);
    this.#reportWithin(RECONNECT_MS);
  }

  #reportWithin(ms: number): void {
    for (const reporter of this.#reporters) this.#world.kernel.after(reporter.turn * ms, reporter);
  }

  #endTerm(): void {
    this.#coordinator = undefined;
    this.#world.kernel.cancel(this.#takeover);
  }

  #beginTerm(now: number): void {
    if (this.#coordinatorFaults + this.#exchangeFaults > 0) return;
    this.#coordinator = new QuotaCoordinator(limitsOf(this.#quota), coordinatorOptions(this.#quota.everyMs));
    this.#coordinator.begin(++this.#token, this.#levels?.backends ?? 0, this.#clock.toLocal(now));
    this.#read = 0;
  }

  #coordinate(now: number): void {
    this.#world.kernel.after(this.#quota.everyMs, this.#tick);
    const coordinator = this.#coordinator;
    if (coordinator === undefined) return;
    const local = this.#clock.toLocal(now);
    for (const [sender, { report, sequence, atMs }] of this.#kept) {
      const ageMs = now - atMs;
      if (ageMs > DROP_MS) this.#kept.delete(sender);
      else if (sequence > this.#read) coordinator.report(sender, report, ageMs, local);
    }
    this.#read = this.#received;
    const levels = coordinator.divide(local);
    if (levels === undefined) return;
    this.#levels = copyOf(levels);
    for (const reporter of this.#reporters) reporter.tell(this.#levels);
  }
}

/** What follows from how often there are reports. */
function coordinatorOptions(everyMs: number): Partial<QuotaCoordinatorOptions> {
  return {
    everyMs,
    // One report that is lost is no reason to give a backend's part to others.
    forgetMs: Math.max(1_000, 4 * everyMs),
    // Twice on the way, and up to a turn of a backend and of the coordinator.
    reactionMs: 200 + 2 * everyMs,
  };
}

/** What is under way does not change when the coordinator thinks on. */
function copyOf(levels: QuotaLevels): QuotaLevels {
  const { token, sequence, backends, names, rank, level, isHeld, spare } = levels;
  return {
    token,
    sequence,
    backends,
    names,
    rank: rank.slice(),
    level: level.slice(),
    isHeld: isHeld.slice(),
    spare: spare.slice(),
  };
}
