import {
  createInPlaceAlgorithm,
  type InPlaceAlgorithm,
  LeakingQueue,
  peekAt,
  type RateDecision,
  type RateLimitOptions,
  settleAt,
} from '../../core/index.js';
import type { RateRule, ScheduleAnswer, Settlement } from '../rate-store.js';
import { type StateKind, StateTable } from './state-table.js';

/** Makes room for a key that is about to come into a table. */
export type MakeRoom = (table: StateTable, now: number) => void;

/** One rule and what is known of its keys. Keys that nothing was taken from are not kept. */
export class RuleStates {
  readonly rule: RateRule;
  readonly table: StateTable;
  readonly #algorithm: InPlaceAlgorithm;
  readonly #makeRoom: MakeRoom;

  constructor(rule: RateRule, makeRoom: MakeRoom) {
    this.rule = rule;
    this.#makeRoom = makeRoom;
    this.#algorithm = createInPlaceAlgorithm(rule.options);
    this.table = new StateTable(kindOf(this.#algorithm));
  }

  take(key: string, now: number, cost: number): RateDecision {
    const slot = this.table.find(key);
    if (slot < 0) return this.#takeFirst(key, now, cost);
    return this.#algorithm.takeAt(this.table.cells(slot), this.table.at(slot), now, cost);
  }

  peek(key: string, now: number, cost: number): RateDecision {
    const slot = this.table.find(key);
    if (slot < 0)
      return this.#algorithm.takeAt(new Array<number>(this.#algorithm.width).fill(0), 0, now, cost);
    return peekAt(this.#algorithm, this.table.cells(slot), this.table.at(slot), now, cost);
  }

  settle({ key, reserved, actual, takenAtMs }: Settlement, now: number): void {
    let slot = this.table.find(key);
    // Forgotten since: there is nothing to give back.
    if (slot < 0 && actual <= reserved) return;
    if (slot < 0) {
      this.#makeRoom(this.table, now);
      slot = this.table.add(key);
    }
    settleAt(this.#algorithm, this.table.cells(slot), this.table.at(slot), now, reserved, actual, takenAtMs);
  }

  reset(key: string): void {
    const slot = this.table.find(key);
    if (slot >= 0) this.table.remove(slot);
  }

  #takeFirst(key: string, now: number, cost: number): RateDecision {
    const decision = this.peek(key, now, cost);
    const isKept = cost > 0 && (decision.allowed || this.rule.options.countRefused === true);
    if (!isKept) return decision;
    this.#makeRoom(this.table, now);
    const slot = this.table.add(key);
    return this.#algorithm.takeAt(this.table.cells(slot), this.table.at(slot), now, cost);
  }
}

/** The queue form of a leaking bucket. It waits apart from what is metered. */
export class QueueStates {
  readonly table: StateTable;
  readonly #queue: LeakingQueue;
  readonly #makeRoom: MakeRoom;

  constructor({ limit, windowMs, burst }: RateLimitOptions, makeRoom: MakeRoom) {
    this.#queue = new LeakingQueue({ limit, windowMs, burst });
    this.#makeRoom = makeRoom;
    this.table = new StateTable({
      width: this.#queue.width,
      expiryAt: (cells, at) => this.#queue.expiryMs([cells[at]!, cells[at + 1]!]),
      // A place that is taken has been promised: the queue that is empty soonest goes first, and that is all.
      remainingAt: () => 1,
    });
  }

  schedule(key: string, now: number, cost: number): ScheduleAnswer {
    let slot = this.table.find(key);
    if (slot < 0) {
      const place = this.#queue.scheduleAt([0, 0], 0, now, cost);
      if (place.dueMs === undefined || cost === 0) return { ...place, nowMs: now };
      this.#makeRoom(this.table, now);
      slot = this.table.add(key);
    }
    const place = this.#queue.scheduleAt(this.table.cells(slot), this.table.at(slot), now, cost);
    return { ...place, nowMs: now };
  }

  reset(key: string): void {
    const slot = this.table.find(key);
    if (slot >= 0) this.table.remove(slot);
  }
}

function kindOf(algorithm: InPlaceAlgorithm): StateKind {
  return {
    width: algorithm.width,
    expiryAt: (cells, at) => algorithm.expiryAt(cells, at),
    // What costs nothing changes nothing.
    remainingAt: (cells, at, now) => algorithm.takeAt(cells, at, now, 0).remaining,
  };
}
