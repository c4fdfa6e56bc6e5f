import { checkOneOf } from '../check.js';
import { CRITICALITIES, type Criticality, DEFAULT_CRITICALITY } from '../criticality.js';
import type { WindowOptions } from '../measuring/slot-clock.js';
import { ThrottleStats } from './throttle-stats.js';

export interface StatsTableOptions extends WindowOptions {
  readonly maxKeys: number;
}

type ByCriticality = Map<Criticality, ThrottleStats>;
type ByCustomer = Map<string, ByCriticality>;

/**
 * Statistics by their three keys, at most maxKeys of them: customers come with requests, and whoever can make up names
 * could fill the memory. The least recently used makes room. To find one takes three look-ups and, to keep the order of
 * use, a few links; no key is put together from its parts.
 */
export class StatsTable {
  readonly #options: StatsTableOptions;
  readonly #services = new Map<string, ByCustomer>();
  /** The ring's own link: its `older` is the most recently used, its `newer` the least. */
  readonly #ring: ThrottleStats;
  #size = 0;

  constructor(options: StatsTableOptions) {
    this.#options = options;
    this.#ring = new ThrottleStats('', '', DEFAULT_CRITICALITY, options);
  }

  get size(): number {
    return this.#size;
  }

  /** How many names of services, and of customers of each, are kept: as bounded as the statistics. */
  get names(): number {
    let names = this.#services.size;
    for (const customers of this.#services.values()) names += customers.size;
    return names;
  }

  get(service: string, customer: string, criticality: Criticality): ThrottleStats {
    const found = this.#services.get(service)?.get(customer)?.get(criticality);
    if (found === undefined) return this.#add(service, customer, criticality);
    if (found !== this.#ring.older) {
      unlink(found);
      this.#putFirst(found);
    }
    return found;
  }

  /** The most recently used first. */
  *recent(): Generator<ThrottleStats> {
    for (let stats = this.#ring.older; stats !== this.#ring; stats = stats.older) yield stats;
  }

  #add(service: string, customer: string, criticality: Criticality): ThrottleStats {
    checkOneOf('criticality', criticality, CRITICALITIES);
    if (this.#size === this.#options.maxKeys) this.#remove(this.#ring.newer);
    const stats = new ThrottleStats(service, customer, criticality, this.#options);
    const customers = this.#services.get(service) ?? (new Map() as ByCustomer);
    const criticalities = customers.get(customer) ?? (new Map() as ByCriticality);
    this.#services.set(service, customers.set(customer, criticalities.set(criticality, stats)));
    this.#putFirst(stats);
    this.#size++;
    return stats;
  }

  /** With all that held it: an empty customer or service left behind would stay for good. */
  #remove(stats: ThrottleStats): void {
    const { service, customer, criticality } = stats;
    const customers = this.#services.get(service)!;
    const criticalities = customers.get(customer)!;
    criticalities.delete(criticality);
    if (criticalities.size === 0) customers.delete(customer);
    if (customers.size === 0) this.#services.delete(service);
    unlink(stats);
    // Held by a request under way, it must not hold on to what is in the table.
    stats.newer = stats;
    stats.older = stats;
    this.#size--;
  }

  #putFirst(stats: ThrottleStats): void {
    const ring = this.#ring;
    stats.newer = ring;
    stats.older = ring.older;
    ring.older.newer = stats;
    ring.older = stats;
  }
}

function unlink(stats: ThrottleStats): void {
  stats.newer.older = stats.older;
  stats.older.newer = stats.newer;
}
