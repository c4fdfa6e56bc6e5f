import { elapsedMs } from '../elapsed.js';
import { FleetCustomer, type FleetOptions } from './fleet-customer.js';
import type { LimitBook } from './quota-limits.js';
import { DEMAND_AT, REPORT_STRIDE } from './usage-report.js';

/** Places are made at most so often: all backends' rows have to be looked up anew. */
const MAKE_PLACE_EVERY_MS = 1_000;

/**
 * All customers of a fleet, a bounded number of them, with the sums over all backends as one column. While there are
 * more than there is place for, the smallest tenth goes each second, and others get a turn: who is large stays once it
 * was seen. Who has a limit of its own never goes.
 */
export class FleetTable {
  customers: FleetCustomer[] = [];
  /** REPORT_STRIDE numbers for each customer, and in the end those of nobody in particular. */
  sums = new Float64Array(REPORT_STRIDE);
  /** 1: something is refused somewhere. */
  refused = new Uint8Array(0);
  /** What is used a second where quotas do not count. */
  uncounted = new Float64Array(0);
  /** The most that is wanted at one backend, a second. */
  peaks = new Float64Array(0);
  /** Another number when customers have changed places. */
  edition = 0;
  readonly #places = new Map<string, number>();
  readonly #options: FleetOptions;
  readonly #maxCustomers: number;
  #book: LimitBook;
  #isFull = false;
  /** Customers without a limit of their own. */
  #strangers = 0;
  /** Who had to go the last time: the others first. */
  #dropped: ReadonlySet<string> = new Set();
  #madePlaceMs = Number.NEGATIVE_INFINITY;

  constructor(book: LimitBook, maxCustomers: number, options: FleetOptions) {
    this.#book = book;
    this.#maxCustomers = maxCustomers;
    this.#options = options;
  }

  setLimits(book: LimitBook): void {
    this.#book = book;
    for (const customer of this.customers) customer.limits = book.of(customer.name);
    this.#countStrangers();
  }

  /** Opens a place for who has none; −1 when there is no place. */
  readonly placeOf = (name: string): number => {
    const place = this.#places.get(name);
    if (place !== undefined) return place;
    if (!this.#book.isNamed(name)) {
      if (this.#strangers >= this.#maxCustomers || this.#dropped.has(name)) {
        this.#isFull = true;
        return -1;
      }
      this.#strangers++;
    }
    this.#places.set(name, this.customers.length);
    return this.customers.push(new FleetCustomer(name, this.#book.of(name), this.#options)) - 1;
  };

  /** If somebody found no place: those who wanted least the last time go. */
  makePlace(now: number): void {
    if (!this.#isFull || elapsedMs(this.#madePlaceMs, now) < MAKE_PLACE_EVERY_MS) return;
    this.#madePlaceMs = now;
    this.#isFull = false;
    const demands = this.customers.map((_, place) => this.#demandOf(place));
    const strangers = [...demands.keys()].filter((place) => !this.#book.isNamed(this.customers[place]!.name));
    strangers.sort((a, b) => demands[a]! - demands[b]!);
    const going = new Set(strangers.slice(0, Math.ceil(strangers.length / 10)));
    this.#dropped = new Set([...going].map((place) => this.customers[place]!.name));
    this.customers = this.customers.filter((_, place) => !going.has(place));
    this.#places.clear();
    for (const [place, { name }] of this.customers.entries()) this.#places.set(name, place);
    this.#countStrangers();
    this.edition++;
  }

  /** Nothing is known of anybody. */
  clear(): void {
    this.customers = [];
    this.#strangers = 0;
    this.#places.clear();
    this.#isFull = false;
    this.#dropped = new Set();
    this.edition++;
    this.clearSums();
  }

  clearSums(): void {
    const length = (this.customers.length + 1) * REPORT_STRIDE;
    if (this.sums.length < length) {
      this.sums = new Float64Array(2 * length);
      this.refused = new Uint8Array(2 * length);
      this.uncounted = new Float64Array(2 * length);
      this.peaks = new Float64Array(2 * length);
    }
    this.sums.fill(0);
    this.refused.fill(0);
    this.uncounted.fill(0);
    this.peaks.fill(0);
  }

  #countStrangers(): void {
    this.#strangers = this.customers.filter(({ name }) => !this.#book.isNamed(name)).length;
  }

  #demandOf(place: number): number {
    let demand = 0;
    for (let at = DEMAND_AT; at < REPORT_STRIDE; at++) demand += this.sums[place * REPORT_STRIDE + at]!;
    return demand;
  }
}
