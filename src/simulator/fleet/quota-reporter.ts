import { type QuotaLevels, REPORT_STRIDE, type UsageReport } from '../../core/quota/index.js';
import { Event } from '../kernel/event.js';
import type { BackendProcess } from './backend-process.js';
import type { QuotaExchange } from './quota-exchange.js';
import type { SimulatedBackend } from './simulated-backend.js';
import type { World } from './world.js';

/** One backend's word to and from the exchange. As an event it is its next report. */
export class QuotaReporter extends Event {
  readonly #exchange: QuotaExchange;
  readonly #backend: SimulatedBackend;
  readonly #everyMs: number;
  /** From 0 to 1: its place among all that report within a time. */
  readonly turn: number;
  readonly #world: World;
  /** The one that reported last, and how many there have been: each is somebody else to the coordinator. */
  #process: BackendProcess | undefined;
  #lives = 0;
  /** What that one heard last. */
  #heard: QuotaLevels | undefined;

  constructor(
    exchange: QuotaExchange,
    backend: SimulatedBackend,
    everyMs: number,
    turn: number,
    world: World,
  ) {
    super();
    this.#exchange = exchange;
    this.#backend = backend;
    this.#everyMs = everyMs;
    this.turn = turn;
    this.#world = world;
  }

  happen(now: number): void {
    const { machine, lifecycle, process, clock, key } = this.#backend;
    if (machine.isPaused) {
      this.#world.kernel.at(machine.pausedUntilMs, this);
      return;
    }
    this.#world.kernel.after(this.#everyMs, this);
    if (lifecycle.stage === 'down') return;
    if (process !== this.#process) {
      this.#process = process;
      this.#lives++;
      this.#heard = undefined;
    }
    const member = process.guard.member!;
    const local = clock.toLocal(now);
    member.tick(local);
    const report = copyOf(member.report(local));
    this.#travel(() => new ReportMessage(this.#exchange, this, `${key} ${this.#lives}`, report));
  }

  /** Whether it has not heard these, for all that the exchange can know. */
  lacks({ token, sequence }: QuotaLevels): boolean {
    return this.#heard?.token !== token || this.#heard.sequence !== sequence;
  }

  /** Levels set out to it. */
  tell(levels: QuotaLevels): void {
    const process = this.#process;
    if (process !== undefined) this.#travel(() => new LevelsMessage(this, process, levels));
  }

  /** They have arrived. */
  hear(message: LevelsMessage, now: number): void {
    const { machine, lifecycle, isPartitioned, process, clock } = this.#backend;
    if (isPartitioned || lifecycle.stage === 'down' || process !== message.process) return;
    if (machine.isPaused) {
      this.#world.kernel.at(machine.pausedUntilMs, message);
      return;
    }
    if (process.guard.member!.hear(message.levels, clock.toLocal(now))) this.#heard = message.levels;
  }

  /** Either way. */
  #travel(make: () => Event): void {
    if (this.#backend.isPartitioned || !this.#exchange.isReachable) return;
    const delayMs = this.#world.network.delayMs(this.#backend.locality, this.#exchange.locality);
    this.#world.kernel.after(delayMs, make());
  }
}

class ReportMessage extends Event {
  readonly #exchange: QuotaExchange;
  readonly #reporter: QuotaReporter;
  readonly #sender: string;
  readonly #report: UsageReport;

  constructor(exchange: QuotaExchange, reporter: QuotaReporter, sender: string, report: UsageReport) {
    super();
    this.#exchange = exchange;
    this.#reporter = reporter;
    this.#sender = sender;
    this.#report = report;
  }

  happen(now: number): void {
    this.#exchange.receive(this.#reporter, this.#sender, this.#report, now);
  }
}

class LevelsMessage extends Event {
  readonly process: BackendProcess;
  readonly levels: QuotaLevels;
  readonly #reporter: QuotaReporter;

  constructor(reporter: QuotaReporter, process: BackendProcess, levels: QuotaLevels) {
    super();
    this.process = process;
    this.levels = levels;
    this.#reporter = reporter;
  }

  happen(now: number): void {
    this.#reporter.hear(this, now);
  }
}

/** The next report overwrites the numbers of the last; names are made anew when they change. */
function copyOf({ names, namesVersion, count, rates, refused, isSuspended }: UsageReport): UsageReport {
  return {
    names,
    namesVersion,
    count,
    rates: rates.slice(0, count * REPORT_STRIDE),
    refused: refused.slice(0, count),
    isSuspended,
  };
}
