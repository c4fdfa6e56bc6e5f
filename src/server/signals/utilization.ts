import { checkWithin, withDefaults } from '../../core/check.js';
import {
  type CombinedSignal,
  customSignal,
  ExecutorLoad,
  highestOf,
  type SignalReading,
  type UtilizationSignal,
  withTarget,
} from '../../core/index.js';
import type { ProcessLimits } from './cgroup.js';
import { EventLoopLoad } from './event-loop-load.js';
import { Limits } from './limits.js';
import { MemorySignal } from './memory.js';
import { ProcessCpu } from './process-cpu.js';
import { PROCESS_READINGS, type ProcessReadings } from './process-readings.js';
import { FAST_MS, type Reading, Sampler, SLOW_MS } from './sampler.js';
import {
  CPU_SIGNAL_DEFAULTS,
  MEMORY_SIGNAL_DEFAULTS,
  SIGNAL_DEFAULTS,
  type SignalOptions,
  TARGET_DEFAULTS,
} from './signal-options.js';
import { Slowdown } from './slowdown.js';

/** The numbers behind `utilization`, as plain data. What the options leave out is undefined. */
export interface UtilizationReport {
  /** What admission compares with its thresholds: the highest of the signals. */
  readonly utilization: number;
  /** Those that can refuse, each against its target. */
  readonly signals: readonly SignalReading[];
  /** Shares of all there is, whether they can refuse or not. */
  readonly cpu: number | undefined;
  readonly eventLoop: number | undefined;
  readonly heap: number | undefined;
  readonly resident: number | undefined;
  /** Requests running or ready to run, smoothed. */
  readonly runnable: number | undefined;
  /** How late timers were, the worst of the last seconds. */
  readonly lagMs: number | undefined;
  /** How many times longer everything takes than its processor time; undefined when that makes no difference. */
  readonly slowdown: number | undefined;
  readonly limits: ProcessLimits;
  /** How often each reading failed. */
  readonly failedReadings: Readonly<Record<string, number>>;
}

/** All that a guard knows of how full its process is. See SIGNAL_DEFAULTS for what refuses and why. */
export class Utilization {
  /** For admission: the highest of queue pressure, memory, the user's signals, and those that were given a target. */
  readonly signal: CombinedSignal;
  /**
   * For load reports: the fuller one of event loop and CPU, as either can be the first to run out. Weights divide by it,
   * so it has to grow with the work, which a time in a queue does not. The admission signal when neither is measured.
   */
  readonly load: UtilizationSignal;
  /** To be started, and polled as requests are run. */
  readonly sampler: Sampler;
  /** To be told how many requests are running or ready to run, once a turn. */
  readonly executor: ExecutorLoad | undefined;
  readonly #cpu: ProcessCpu | undefined;
  readonly #eventLoop: EventLoopLoad | undefined;
  readonly #heap: MemorySignal | undefined;
  readonly #resident: MemorySignal | undefined;
  readonly #slowdown: Slowdown | undefined;
  readonly #limits: Limits;

  constructor(
    queuePressure: UtilizationSignal & { slowdown?: number },
    given?: Partial<SignalOptions>,
    source: ProcessReadings = PROCESS_READINGS,
  ) {
    const options = withDefaults('signals', SIGNAL_DEFAULTS, given);
    const cpu = unlessFalse('signals.cpu', CPU_SIGNAL_DEFAULTS, options.cpu);
    const eventLoop = unlessFalse('signals.eventLoop', TARGET_DEFAULTS, options.eventLoop);
    const executor = unlessFalse('signals.executor', TARGET_DEFAULTS, options.executor);
    const memory = unlessFalse('signals.memory', MEMORY_SIGNAL_DEFAULTS, options.memory);
    const limits = new Limits(() => source.limits(), cpu?.processors, memory?.limitBytes);
    this.#limits = limits;
    this.#cpu = cpu && new ProcessCpu(() => source.cpuMs(), limits);
    this.#eventLoop = eventLoop && new EventLoopLoad(() => source.loopTime());
    this.executor = executor && new ExecutorLoad();
    if (memory !== undefined) {
      const { limitBytes: _, ...scale } = memory;
      const resident = () => ({ usedBytes: source.residentBytes(), limitBytes: limits.memoryBytes });
      this.#heap = new MemorySignal('heap', FAST_MS, () => source.heap(), scale);
      this.#resident = new MemorySignal('resident', SLOW_MS, resident, scale);
    }
    const most = checkWithin('signals.mostSlowdown', options.mostSlowdown, 1, 100);
    if (most > 1)
      this.#slowdown = new Slowdown(source, most, (times) => {
        queuePressure.slowdown = times;
      });
    this.signal = highestOf([
      queuePressure,
      ...targeted(this.#cpu, cpu?.target),
      ...targeted(this.#eventLoop, eventLoop?.target),
      ...targeted(this.executor, executor?.target),
      ...present(this.#heap, this.#resident),
      ...options.custom.map(unfailing),
    ]);
    const used = present<UtilizationSignal>(this.#eventLoop, this.#cpu);
    this.load = used.length > 0 ? highestOf(used) : this.signal;
    // Limits first: the others divide by them.
    const readings = present<Reading>(
      limits,
      this.#cpu,
      this.#eventLoop,
      this.#heap,
      this.#resident,
      this.#slowdown,
    );
    this.sampler = new Sampler(readings, {
      monotonicMs: () => source.monotonicMs(),
      onLate: (lateMs, now) => this.#eventLoop?.observeLag(lateMs, now),
    });
  }

  /** Share of the processors in use, for load reports; undefined when it is not measured. */
  cpuUtilization(now: number): number | undefined {
    return this.#cpu?.utilization(now);
  }

  explain(now: number): UtilizationReport {
    const { processors, memoryBytes } = this.#limits;
    return {
      utilization: this.signal.utilization(now),
      signals: this.signal.explain(now),
      cpu: this.cpuUtilization(now),
      eventLoop: this.#eventLoop?.utilization(now),
      heap: this.#heap?.share(now),
      resident: this.#resident?.share(now),
      runnable: this.executor?.utilization(now),
      lagMs: this.#eventLoop?.lagMs(now),
      slowdown: this.#slowdown?.times,
      limits: { processors, memoryBytes },
      failedReadings: this.sampler.failures(),
    };
  }
}

function unlessFalse<T extends object>(part: string, defaults: T, given: Partial<T> | false): T | undefined {
  return given === false ? undefined : withDefaults(part, defaults, given);
}

function present<T>(...parts: (T | undefined)[]): T[] {
  return parts.filter((part) => part !== undefined);
}

function targeted(signal: UtilizationSignal | undefined, target: number | undefined): UtilizationSignal[] {
  return signal === undefined || target === undefined ? [] : [withTarget(signal, target)];
}

/** Whatever the user's signal does, it must not fail the request that asks for admission. */
function unfailing(signal: UtilizationSignal): UtilizationSignal {
  return customSignal(signal.name, (now) => signal.utilization(now));
}
