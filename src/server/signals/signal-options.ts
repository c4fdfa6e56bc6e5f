import type { UtilizationSignal } from '../../core/index.js';
import { MEMORY_DEFAULTS, type MemoryOptions } from './memory.js';

/** CPU as a signal. */
export interface CpuSignalOptions {
  /** Share of the processors at which utilization is 1; undefined: measured and reported, refuses nothing. */
  readonly target: number | undefined;
  /**
   * Processors that are this process's own; undefined: what its control group and the machine allow. For one of several
   * processes that share them.
   */
  readonly processors: number | undefined;
}

export const CPU_SIGNAL_DEFAULTS: CpuSignalOptions = Object.freeze({
  target: undefined,
  processors: undefined,
});

/** A signal that refuses only when it has a target. */
export interface TargetOptions {
  /**
   * At which utilization is 1: share of time in use for the event loop, runnable requests for the executor. Undefined:
   * measured and reported, refuses nothing.
   */
  readonly target: number | undefined;
}

export const TARGET_DEFAULTS: TargetOptions = Object.freeze({ target: undefined });

/** Memory as a signal: the heap against V8's limit, resident bytes against the cgroup's. */
export interface MemorySignalOptions extends MemoryOptions {
  /** Resident bytes that are this process's own; undefined: what its control group and the machine allow. */
  readonly limitBytes: number | undefined;
}

export const MEMORY_SIGNAL_DEFAULTS: MemorySignalOptions = Object.freeze({
  ...MEMORY_DEFAULTS,
  limitBytes: undefined,
});

/** What a guard measures of its process, each false to leave it out. */
export interface SignalOptions {
  /** Processor time against what this process may use. */
  readonly cpu: Partial<CpuSignalOptions> | false;
  /** The busy share of the loop's time. */
  readonly eventLoop: Partial<TargetOptions> | false;
  /** Requests that are ready to run, smoothed. */
  readonly executor: Partial<TargetOptions> | false;
  /** Heap and resident bytes against their limits. */
  readonly memory: Partial<MemorySignalOptions> | false;
  /**
   * While the process waits for a processor that others hold, queue time may be longer by as much as everything takes
   * longer, but no more than this many times; 1: never.
   */
  readonly mostSlowdown: number;
  /** The user's own, all of which refuse: 1 is at their target. */
  readonly custom: readonly UtilizationSignal[];
}

/**
 * Queue pressure and memory refuse; CPU and event loop are measured and reported, and refuse when given a target.
 *
 * A full loop with a short queue is what is wanted: everything is used and nobody waits. A target below that gives
 * capacity away. With CpuRate's of .8, twice the load needs half of CRITICAL refused, which the default thresholds do at
 * utilization 1.1, and there CPU stands at 88 %: less than the 95 % of its peak that a server can serve at twice its
 * load. With a target of 1 the loop is full before there is anything to decide by (it cannot go above 1, so CRITICAL is
 * never refused). Queue time has neither fault: it is 0 until all is used, and grows with the excess.
 *
 * A target is right for whoever pays for headroom on purpose: so that a neighbour's failure can be taken over (Netflix
 * sheds by class from 60 % and 80 % CPU), or where CPU is used up by threads that no request queues for.
 */
export const SIGNAL_DEFAULTS: SignalOptions = Object.freeze({
  cpu: Object.freeze({}),
  eventLoop: Object.freeze({}),
  executor: Object.freeze({}),
  memory: Object.freeze({}),
  // Where latency is promised it is promised on a busy machine, too.
  mostSlowdown: 1,
  custom: Object.freeze([]),
});
