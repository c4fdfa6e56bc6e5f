import type { Random } from '../environment.js';
import type { Backend } from '../health/backend.js';
import type { Entry, Policy } from './picker.js';
import { nextTurn } from './turn-order.js';

/** A link of one level's queue. An entry stands in the queue of as many active requests as its backend has. */
class Link {
  previous: Link = this;
  next: Link = this;

  unlink(): void {
    this.previous.next = this.next;
    this.next.previous = this.previous;
    this.next = this;
    this.previous = this;
  }

  /** To the end of the queue that `head` is the head of. */
  append(head: Link): void {
    this.previous = head.previous;
    this.next = head;
    head.previous.next = this;
    head.previous = this;
  }
}

class LeveledEntry extends Link implements Entry {
  readonly backend: Backend;
  /** −1 while it is in no queue: its backend is not in the snapshot. */
  level = -1;

  constructor(backend: Backend) {
    super();
    this.backend = backend;
  }
}

/**
 * SRE ch. 20, "Least-Loaded Round Robin": round robin among the backends with the fewest active requests of this
 * client. A queue for each number of active requests; who is picked goes to the end of the next one, who is done to
 * the end of the one below. So a pick costs the same however many backends there are.
 *
 * Its limits are the text's: active requests say little about load when they wait for something else, and other
 * clients' requests are not seen.
 */
export class LeastLoadedPolicy implements Policy<LeveledEntry> {
  readonly #random: Random;
  readonly #heads: Link[] = [];
  #entries: readonly LeveledEntry[] = [];
  /** No queue below this one has anybody in it. */
  #lowest = 0;
  #lastOrdinal: number | undefined;

  constructor(random: Random) {
    this.#random = random;
  }

  enlist(backend: Backend): LeveledEntry {
    return new LeveledEntry(backend);
  }

  adopt(entries: readonly LeveledEntry[]): void {
    for (const entry of this.#entries) {
      entry.unlink();
      entry.level = -1;
    }
    this.#entries = entries;
    this.#lowest = 0;
    const first = nextTurn(entries, this.#lastOrdinal, this.#random);
    for (let turn = 0; turn < entries.length; turn++) {
      const entry = entries[(first + turn) % entries.length]!;
      this.#move(entry, entry.backend.active);
    }
  }

  choose(): LeveledEntry {
    let head = this.#head(this.#lowest);
    while (head.next === head) head = this.#head(++this.#lowest);
    const entry = head.next as LeveledEntry;
    this.#lastOrdinal = entry.backend.ordinal;
    this.#move(entry, entry.level + 1);
    return entry;
  }

  onDone(entry: LeveledEntry): void {
    if (entry.level < 0) return;
    this.#move(entry, entry.level - 1);
    if (entry.level < this.#lowest) this.#lowest = entry.level;
  }

  #move(entry: LeveledEntry, level: number): void {
    entry.unlink();
    entry.level = level;
    entry.append(this.#head(level));
  }

  #head(level: number): Link {
    let head = this.#heads[level];
    if (head === undefined) {
      head = new Link();
      this.#heads[level] = head;
    }
    return head;
  }
}
