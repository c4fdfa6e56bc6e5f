import type { Criticality } from '../../core/criticality.js';
import { elapsedMs } from '../../core/elapsed.js';

/** What requests of a route cost. */
export interface Prices {
  isUnknown(route: string): boolean;
  /** In CPU-ms. */
  expectedMs(route: string): number;
}

/** Where the price of requests is entered, once it is known. */
export interface PriceBook {
  postEstimate(
    route: string,
    customer: string,
    criticality: Criticality,
    estimatedMs: number,
    requests: number,
  ): void;
}

interface Entry {
  readonly route: string;
  readonly customer: string;
  readonly criticality: Criticality;
  requests: number;
  readonly sinceMs: number;
}

/** As many different entries as a service of a few routes and many customers has in the moments before a price is known. */
const MOST_ENTRIES = 1_000;

/**
 * For so long a price is waited for. A window of measuring opens as soon as a new route shows, and trails for a second at
 * the most; whoever is not known after two has not come again.
 */
const PATIENCE_MS = 2_000;

/**
 * Requests of routes that are new, which ended without being measured: those in flight when the first of them showed that
 * there is such a route. Charged what all others cost on average they could be wrong a hundredfold, and with many in flight
 * they are many; so they wait until one of their kind was measured.
 */
export class UnpricedRequests {
  readonly #entries = new Map<string, Entry>();

  /** False when there is no room for another kind. */
  add(route: string, customer: string, criticality: Criticality, now: number): boolean {
    const key = `${criticality} ${route} ${customer}`;
    const known = this.#entries.get(key);
    if (known !== undefined) {
      known.requests += 1;
      return true;
    }
    if (this.#entries.size >= MOST_ENTRIES) return false;
    this.#entries.set(key, { route, customer, criticality, requests: 1, sinceMs: now });
    return true;
  }

  /** Enters those whose price is known by now, and those that have waited for too long at what is expected of them. */
  price(costs: Prices, book: PriceBook, now: number): void {
    for (const [key, { route, customer, criticality, requests, sinceMs }] of this.#entries) {
      if (costs.isUnknown(route) && elapsedMs(sinceMs, now) < PATIENCE_MS) continue;
      this.#entries.delete(key);
      book.postEstimate(route, customer, criticality, costs.expectedMs(route) * requests, requests);
    }
  }
}
