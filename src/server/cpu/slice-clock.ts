import { performance } from 'node:perf_hooks';
import { holdPropagation, peekRequest, releasePropagation, requestOf } from '../../context/index.js';
import type { Metered, RequestCpu } from './metered.js';
import { createSliceCpu, type SliceCpu } from './slice-cpu.js';
import { createSwitchHooks, type SwitchHooks } from './switch-hooks.js';

/** The clock of an event loop, in ms since the process began. */
export interface LoopTime {
  now(): number;
  /** How long the loop has had nothing to do. */
  idleMs(): number;
}

const { nodeTiming } = performance;
const LOOP_TIME: LoopTime = { now: performance.now.bind(performance), idleMs: () => nodeTiming.idleTime };

/**
 * What one switch costs all told, for the sampling schedule. A `hello world` has 13 of them on Node 20 and takes 8 to
 * 12 µs more when it is measured, with the async context that this needs; on Node 24 there are 10, which take 3 to 4 µs.
 */
export const SWITCH_MS = 0.000_8;

/** At this utilization of the loop, and above, idle time is rare, and time is dear: */
const SATURATED = 0.95;

/** slices shorter than this are not asked how much of them it was. It is taken off the next that is. */
const SHORT_MS = 0.05;

/**
 * Slices of dear requests from this length on are read: a reading takes one thousandth of it. What another process takes
 * of a processor it takes in pieces of milliseconds, so long slices have nearly all of them, and by their length alone
 * they would cost several times what they do while the machine has too much to do.
 */
const READ_FROM_MS = 0.8;

/** One that was read so shortly before a slice will do for its begin. */
const READ_BEFORE_MS = 0.1;

/**
 * Charges the time of the event loop to the request whose code runs. At every switch to other code it is looked whose
 * that is (by async context); only when it is another's is the clock read, and the time since then charged, less what
 * the loop was idle. So what follows a piece of code without being anybody's (the rest of a loop turn: a few µs) counts
 * to it, and so does garbage collection that it set off.
 */
export class SliceClock {
  /** Switches seen so far. */
  switches = 0;
  readonly #time: LoopTime;
  readonly #hooks: SwitchHooks;
  #holds = 0;
  #owner: RequestCpu | undefined;
  #sinceMs = 0;
  /** Idle time that is taken off already, and whether there can be more: it grows between two callbacks only. */
  #idleMs = 0;
  #mayHaveIdled = true;
  #shortMs = 0;
  #lookedAtMs = 0;
  #lookedIdleMs = 0;
  readonly #createCpu: () => SliceCpu | undefined;
  #cpu: { readonly read: SliceCpu | undefined } | undefined;
  /** The CPU as it was last read, and when. */
  #cpuMs = 0;
  #cpuAtMs = Number.NEGATIVE_INFINITY;
  /** Of all slices that were read: how long they were, and what they used. */
  #readBusyMs = 0;
  #readMs = 0;

  constructor(time = LOOP_TIME, createHooks = createSwitchHooks, createCpu = () => createSliceCpu()) {
    this.#time = time;
    this.#hooks = createHooks(() => this.#onSwitch());
    this.#createCpu = createCpu;
  }

  /** On until `release`, with the async context that it needs. */
  hold(): void {
    this.#holds += 1;
    if (this.#holds > 1) return;
    holdPropagation();
    this.#cpu ??= { read: this.#createCpu() };
    this.#idleMs = this.#time.idleMs();
    this.#hooks.enable();
  }

  release(): void {
    this.#holds -= 1;
    if (this.#holds > 0) return;
    this.switchTo(undefined);
    this.#hooks.disable();
    releasePropagation();
  }

  isRunning(cpu: RequestCpu): boolean {
    return this.#owner === cpu;
  }

  /** From now on the loop works for this one. Returns whom it worked for. */
  switchTo(owner: RequestCpu | undefined): RequestCpu | undefined {
    const last = this.#owner;
    if (owner === last) return last;
    const now = this.#time.now();
    const busyMs = this.#busySince(now);
    this.#sinceMs = now;
    this.#owner = owner;
    if (last !== undefined) this.#charge(last, busyMs, now);
    if (owner?.isDear && now - this.#cpuAtMs > READ_BEFORE_MS) this.#readCpu(now);
    return last;
  }

  /** Back to whose code this is, by async context. If it is nobody's, what comes now is still the last one's. */
  switchBack(): void {
    const owner = ownerOfThis();
    if (owner !== undefined) this.switchTo(owner);
  }

  /** Charges the one that runs what it has used until now; any other has been charged all. */
  catchUp(cpu: RequestCpu): void {
    if (this.#owner !== cpu) return;
    const now = this.#time.now();
    const busyMs = this.#busySince(now);
    this.#sinceMs = now;
    this.#charge(cpu, busyMs, now);
  }

  /** How long the loop has not been idle since the process began, without slices that were read. */
  unreadBusyMs(): number {
    return this.#time.now() - this.#time.idleMs() - this.#readBusyMs;
  }

  /** CPU-ms of all slices that were read. */
  get readMs(): number {
    return this.#readMs;
  }

  /** Each second or so: whether the loop is saturated. */
  look(): void {
    const now = this.#time.now();
    const idleMs = this.#time.idleMs();
    const mostIdleMs = (now - this.#lookedAtMs) * (1 - SATURATED);
    this.#shortMs = idleMs - this.#lookedIdleMs < mostIdleMs ? SHORT_MS : 0;
    this.#lookedAtMs = now;
    this.#lookedIdleMs = idleMs;
  }

  #busySince(now: number): number {
    const passedMs = now - this.#sinceMs;
    if (!this.#mayHaveIdled || passedMs < this.#shortMs) return passedMs;
    this.#mayHaveIdled = false;
    const idleMs = this.#time.idleMs();
    const busyMs = passedMs - (idleMs - this.#idleMs);
    this.#idleMs = idleMs;
    return busyMs > 0 ? busyMs : 0;
  }

  #charge(cpu: RequestCpu, busyMs: number, now: number): void {
    const since = this.#cpuMs;
    if (!cpu.isDear || busyMs < READ_FROM_MS || !this.#readCpu(now)) {
      cpu.charge(busyMs, now);
      return;
    }
    // Other threads may have used some as well, where it is that of the process.
    const readMs = Math.min(busyMs, this.#cpuMs - since);
    this.#readBusyMs += busyMs;
    this.#readMs += readMs;
    cpu.chargeRead(readMs, now);
  }

  #readCpu(now: number): boolean {
    const read = this.#cpu?.read;
    if (read === undefined) return false;
    this.#cpuMs = read();
    this.#cpuAtMs = now;
    return true;
  }

  #onSwitch(): void {
    this.switches += 1;
    this.#mayHaveIdled = true;
    const owner = ownerOfThis();
    if (owner !== this.#owner) this.switchTo(owner);
  }
}

/** Whose code is running, by async context. */
function ownerOfThis(): RequestCpu | undefined {
  const context = peekRequest();
  return context === undefined ? undefined : (requestOf(context) as Partial<Metered>).cpu;
}

/** One for the process, since an event loop does one thing at a time, whoever's guard it is for. */
export const sliceClock = new SliceClock();
