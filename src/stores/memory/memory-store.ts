import { checkInteger, withDefaults } from '../../core/check.js';
import type { Environment, RateDecision } from '../../core/index.js';
import type {
  RateRequest,
  RateRule,
  RateStore,
  ScheduleAnswer,
  Settlement,
  TakeAnswer,
} from '../rate-store.js';
import { checkOnce, checkSame } from '../rule-checks.js';
import { TurnClock } from '../turn-clock.js';
import { type MakeRoom, QueueStates, RuleStates } from './rule-states.js';
import type { StateTable } from './state-table.js';

/** How much a store in memory keeps. */
export interface MemoryStoreOptions {
  /** How many keys are kept, those of all rules together. */
  readonly maxKeys: number;
  /** Time and chance, for tests: it is then read with every call. */
  readonly environment: Environment | undefined;
}

export const MEMORY_STORE_DEFAULTS: MemoryStoreOptions = Object.freeze({
  // About 120 MB at most with keys of 30 letters: more than one process serves within most windows, less than one has.
  maxKeys: 1_000_000,
  environment: undefined,
});

/** With each new key: of five slots one is taken at least, so the hand goes around before so many keys again have come. */
const SLOTS_A_KEY = 8;

/** When nobody comes: to forget 2,000 in so many slots takes half a millisecond, and a million less than two minutes. */
const SWEEP_MS = 250;
const SLOTS_A_SWEEP = 7_500;
/** Of rules with few keys beside those with many: as many as they have is a few slots among many empty ones. */
const LEAST_SLOTS = 64;

const PROCESS: Environment = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  random: Math.random,
};

/** States in this process. A rule that several processes share needs another store. */
export class MemoryStore implements RateStore {
  readonly #maxKeys: number;
  readonly #random: () => number;
  readonly #now: () => number;
  readonly #rules = new Map<string, RuleStates>();
  readonly #queues = new Map<string, QueueStates>();
  readonly #tables: StateTable[] = [];
  readonly #makeRoom: MakeRoom = (table, now) => this.#roomForOne(table, now);
  /** Most calls are about the same rule as the one before. */
  #last: RuleStates | undefined = undefined;
  #timer: NodeJS.Timeout | undefined = undefined;
  #isClosed = false;
  #evicted = 0;
  #expired = 0;

  constructor(options: Partial<MemoryStoreOptions> = {}) {
    const { maxKeys, environment } = withDefaults('memoryStore', MEMORY_STORE_DEFAULTS, options);
    this.#maxKeys = checkInteger('maxKeys', maxKeys, 1, 2 ** 24);
    this.#random = (environment ?? PROCESS).random.bind(environment ?? PROCESS);
    if (environment === undefined) {
      const clock = new TurnClock(PROCESS);
      this.#now = () => clock.now();
    } else {
      const originMs = environment.wallMs() - environment.monotonicMs();
      this.#now = () => originMs + environment.monotonicMs();
    }
  }

  takeOneNow(rule: RateRule, key: string, cost: number): RateDecision {
    return this.#statesOf(rule).take(key, this.#now(), cost);
  }

  takeNow(requests: readonly RateRequest[]): TakeAnswer {
    const takenAtMs = this.#now();
    if (requests.length === 1) return this.#takeOne(requests[0]!, takenAtMs);
    const states = requests.map(({ rule }) => this.#statesOf(rule));
    checkOnce(requests);
    const seen = requests.map(({ key, cost }, index) => states[index]!.peek(key, takenAtMs, cost).allowed);
    const allowed = requests.every(({ isShadow }, index) => isShadow === true || seen[index]!);
    const decisions = requests.map(({ key, cost }, index) => {
      // One that would pass takes nothing if others keep the request from passing; it only says how it stands.
      const isTaking = allowed || !seen[index]!;
      return states[index]!.take(key, takenAtMs, isTaking ? cost : 0);
    });
    return { allowed, decisions, takenAtMs };
  }

  async take(requests: readonly RateRequest[]): Promise<TakeAnswer> {
    return this.takeNow(requests);
  }

  async peek(requests: readonly RateRequest[]): Promise<readonly RateDecision[]> {
    const now = this.#now();
    return requests.map(({ rule, key, cost }) => this.#statesOf(rule).peek(key, now, cost));
  }

  async settle(settlements: readonly Settlement[]): Promise<void> {
    const now = this.#now();
    for (const each of settlements) this.#statesOf(each.rule).settle(each, now);
  }

  async schedule({ rule, key, cost }: RateRequest): Promise<ScheduleAnswer> {
    return this.#queueOf(rule).schedule(key, this.#now(), cost);
  }

  async reset(rule: RateRule, key: string): Promise<void> {
    this.#statesOf(rule).reset(key);
    this.#queues.get(rule.name)?.reset(key);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#last = undefined;
    this.#rules.clear();
    this.#queues.clear();
    this.#tables.length = 0;
  }

  /** Removes what has expired, as far as the hand goes. It is done by itself four times a second. */
  sweep(): void {
    const now = this.#now();
    const keys = this.#keys();
    for (const table of this.#tables) {
      const share = Math.ceil((SLOTS_A_SWEEP * table.size) / keys);
      if (table.size > 0) this.#expired += table.sweep(now, Math.max(LEAST_SLOTS, share));
    }
    if (this.#timer !== undefined && this.#keys() === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  snapshot(): { readonly keys: number; readonly evicted: number; readonly expired: number } {
    return { keys: this.#keys(), evicted: this.#evicted, expired: this.#expired };
  }

  #takeOne({ rule, key, cost, isShadow }: RateRequest, takenAtMs: number): TakeAnswer {
    const decision = this.#statesOf(rule).take(key, takenAtMs, cost);
    return { allowed: isShadow === true || decision.allowed, decisions: [decision], takenAtMs };
  }

  #keys(): number {
    return this.#tables.reduce((sum, { size }) => sum + size, 0);
  }

  #statesOf(rule: RateRule): RuleStates {
    if (this.#last?.rule === rule) return this.#last;
    this.#checkOpen();
    let states = this.#rules.get(rule.name);
    if (states === undefined) {
      states = new RuleStates(rule, this.#makeRoom);
      this.#rules.set(rule.name, states);
      this.#tables.push(states.table);
    }
    checkSame(states.rule, rule);
    this.#last = states;
    return states;
  }

  #queueOf(rule: RateRule): QueueStates {
    this.#statesOf(rule);
    let queue = this.#queues.get(rule.name);
    if (queue === undefined) {
      queue = new QueueStates(rule.options, this.#makeRoom);
      this.#queues.set(rule.name, queue);
      this.#tables.push(queue.table);
    }
    return queue;
  }

  #roomForOne(table: StateTable, now: number): void {
    this.#expired += table.sweep(now, SLOTS_A_KEY);
    if (this.#keys() >= this.#maxKeys) {
      // A flood of keys pays for itself: the largest table is where it goes.
      const largest = this.#tables.reduce((most, each) => (each.size > most.size ? each : most), table);
      largest.evict(now, this.#random);
      this.#evicted++;
    }
    this.#timer ??= setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new Error('the store is closed');
  }
}

/** A store in memory: `memoryStore({ maxKeys: 100_000 })`. */
export function memoryStore(options: Partial<MemoryStoreOptions> = {}): MemoryStore {
  return new MemoryStore(options);
}
