import { checkInteger, checkPositive } from '../check.js';
import { DecayingAverage } from '../measuring/decaying-average.js';
import { MOST_COST } from './assumption.js';
import { RateGrid } from './rate-grid.js';
import { RecentUse, type RecentUseSnapshot } from './recent-use.js';

/** How fast use fades, and how many customers are told apart. */
export interface UsageOptions {
  /** After this time a use weighs 37 % of a fresh one. */
  readonly decayMs: number;
  /** How often sums are decayed, and what is decided from them is decided anew. */
  readonly updateMs: number;
  /** After this time a request's cost weighs 37 % of a fresh one in the mean of its kind. */
  readonly costDecayMs: number;
  /** How many customers are told apart, besides those who have a limit of their own. */
  readonly maxCustomers: number;
}

export const USAGE_DEFAULTS: UsageOptions = Object.freeze({
  // As noisy as a plain window of 4 s, which knows the rate of 100 arrivals a second to ± 5 % (σ). Much longer, and a
  // customer that has come back to its limit is refused for what it no longer does.
  decayMs: 2_000,
  // A customer that comes out of nowhere is not held back before the first update. At ten times its limit it has by
  // then used a second's worth. An update takes 0.5 µs: for 1,000 active customers 5 ms of each second.
  updateMs: 100,
  // What a kind of request costs changes with releases and the time of day. 10 s average out the single request, and
  // a kind that is refused altogether is remembered for 20 times as long (see DecayingAverage).
  costDecayMs: 10_000,
  // 1.5 KB each, 15 MB in all.
  maxCustomers: 10_000,
});

/** What one customer used and wanted lately. */
export interface CustomerUseSnapshot extends RecentUseSnapshot {
  readonly customer: string;
}

/** Who used and wanted how much lately. */
export interface UsageSnapshot {
  /** Those who used or wanted something lately. */
  readonly customers: readonly CustomerUseSnapshot[];
  /** All those together who had to be forgotten. */
  readonly everyoneElse: RecentUseSnapshot;
}

/** How many are compared to find one to forget. */
const COMPARED = 8;

/**
 * Accounts of customers, a bounded number of them: names come from outside, and millions of them can be made up.
 *
 * When it is full, a newcomer takes the place of the smallest of eight, of the next eight each time. What that one
 * used is added to `everyoneElse`, so that totals stay right, and should it come back it begins anew. Forgetting thus
 * errs in favour of the forgotten, and nobody can hide in it: the eight are compared by demand and debt, so one that
 * is over its limit is forgotten only among others as large. Nor is anybody refused for what others did:
 * `everyoneElse` is for the books and has no limit.
 *
 * It bounds the number of names and not their lengths: whoever reads a name off a request bounds that.
 */
export class UsageTable<T extends RecentUse> {
  readonly #grid: RateGrid;
  readonly #maxStrangers: number;
  readonly #make: (customer: string, slot: number, grid: RateGrid) => T;
  readonly #accounts = new Map<string, T>();
  #isNamed: (customer: string) => boolean = () => false;
  /** Those who may be forgotten, and the last one that was compared. */
  #strangers: T[] = [];
  #hand = 0;
  readonly #everyoneElse: RecentUse;
  readonly #anyCost: DecayingAverage;

  /** `make` opens an account in a slot. */
  constructor(options: UsageOptions, make: (customer: string, slot: number, grid: RateGrid) => T) {
    const slotMs = checkPositive('updateMs', options.updateMs);
    const costDecayMs = checkPositive('costDecayMs', options.costDecayMs);
    this.#grid = new RateGrid(slotMs, checkPositive('decayMs', options.decayMs));
    this.#maxStrangers = checkInteger('maxCustomers', options.maxCustomers, 1);
    this.#make = make;
    this.#everyoneElse = new RecentUse('', Number.NEGATIVE_INFINITY, this.#grid, costDecayMs);
    this.#anyCost = new DecayingAverage({ decayMs: costDecayMs });
  }

  /** The customer's account in the slot of now, opened if there is none. */
  at(customer: string, now: number): T {
    const slot = this.#grid.slotOf(now);
    const account = this.#accounts.get(customer) ?? this.#open(customer, slot, now);
    if (slot > account.slot) account.roll(slot);
    return account;
  }

  find(customer: string, now: number): T | undefined {
    return this.#accounts.has(customer) ? this.at(customer, now) : undefined;
  }

  /** The account as it was left, not brought up to now. */
  known(customer: string): T | undefined {
    return this.#accounts.get(customer);
  }

  /** All those together who had to be forgotten. */
  everyoneElse(now: number): RecentUse {
    return rolled(this.#everyoneElse, this.#grid.slotOf(now));
  }

  /** For questions, which open no account: one of somebody unknown is made for the answer and not kept. */
  peek(customer: string, now: number): T {
    return this.find(customer, now) ?? this.#make(customer, this.#grid.slotOf(now), this.#grid);
  }

  accounts(): Iterable<T> {
    return this.#accounts.values();
  }

  /** From now on these are never forgotten, and all others may be. */
  setNamed(isNamed: (customer: string) => boolean): void {
    this.#isNamed = isNamed;
    this.#strangers = [];
    for (const account of this.#accounts.values()) {
      if (!isNamed(account.customer)) this.#strangers.push(account);
    }
  }

  /** Of a request of anybody. */
  observeCost(cost: number, now: number): void {
    this.#anyCost.observe(now, Math.min(cost, MOST_COST));
  }

  /**
   * The mean of all customers, for one none of whose requests was ever served. For the books: nobody is refused on a
   * guess.
   */
  unknownCost(now: number): number {
    return this.#anyCost.value(now) ?? 0;
  }

  snapshot(now: number): UsageSnapshot {
    const slot = this.#grid.slotOf(now);
    const unknownCost = this.unknownCost(now);
    const customers: CustomerUseSnapshot[] = [];
    for (const account of this.#accounts.values()) {
      if (rolled(account, slot).isEmpty) continue;
      customers.push({ customer: account.customer, ...account.snapshot(unknownCost, now) });
    }
    const everyoneElse = this.everyoneElse(now).snapshot(unknownCost, now);
    return { customers, everyoneElse };
  }

  #open(customer: string, slot: number, now: number): T {
    const account = this.#make(customer, slot, this.#grid);
    if (!this.#isNamed(customer)) {
      // More than one too many when customers have lost the limit of their own.
      while (this.#strangers.length >= this.#maxStrangers) this.#forgetOne(slot, now);
      this.#strangers.push(account);
    }
    this.#accounts.set(customer, account);
    return account;
  }

  #forgetOne(slot: number, now: number): void {
    const strangers = this.#strangers;
    let smallest = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let looked = 0; looked < COMPARED; looked++) {
      this.#hand = (this.#hand + 1) % strangers.length;
      const worth = rolled(strangers[this.#hand]!, slot).worth(now);
      if (worth < least) {
        least = worth;
        smallest = this.#hand;
      }
    }
    const forgotten = strangers[smallest]!;
    strangers[smallest] = strangers[strangers.length - 1]!;
    strangers.pop();
    this.#accounts.delete(forgotten.customer);
    rolled(this.#everyoneElse, slot).absorb(forgotten);
    forgotten.close();
  }
}

function rolled<U extends RecentUse>(account: U, slot: number): U {
  if (slot > account.slot) account.roll(slot);
  return account;
}
