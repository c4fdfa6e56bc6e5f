import type { Random } from '../environment.js';
import type { Backend } from '../health/backend.js';
import { IndexSet } from '../health/index-set.js';
import type { Entry, Policy } from './picker.js';
import { nextTurn } from './turn-order.js';

/**
 * SRE ch. 20, "Simple Round Robin": each usable backend in turn. Knows nothing of load, so CPU spreads up to twofold:
 * clients differ in rate, requests in cost, machines in speed.
 */
export class RoundRobinPolicy implements Policy {
  readonly #random: Random;
  #entries: readonly Entry[] = [];
  #open = new IndexSet(0);
  #turn = 0;
  #lastOrdinal: number | undefined;

  constructor(random: Random) {
    this.#random = random;
  }

  enlist(backend: Backend): Entry {
    return { backend };
  }

  adopt(entries: readonly Entry[], open: IndexSet): void {
    this.#turn = nextTurn(entries, this.#lastOrdinal, this.#random);
    this.#entries = entries;
    this.#open = open;
  }

  choose(): Entry {
    const position = this.#open.nextFrom(this.#turn);
    const entry = this.#entries[position]!;
    this.#turn = position + 1;
    this.#lastOrdinal = entry.backend.ordinal;
    return entry;
  }

  onDone(): void {}
}
