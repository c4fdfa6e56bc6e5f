import type { Backend } from '../health/backend.js';
import type { Entry } from './picker.js';

/** A link of one level's queue. */
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
  appendTo(head: Link): void {
    this.previous = head.previous;
    this.next = head;
    head.previous.next = this;
    head.previous = this;
  }
}

export class QueuedEntry extends Link implements Entry {
  readonly backend: Backend;
  /** The queue it stands in; −1 for none. */
  level = -1;
  /** Recent errors, which count as active requests. */
  errors = 0;

  constructor(backend: Backend) {
    super();
    this.backend = backend;
  }
}

/**
 * A queue for each level of load, and which is the lowest that has anybody in it. Every operation takes constant
 * time.
 */
export class LevelQueues {
  readonly #heads: Link[] = [];
  /** No queue below this one has anybody in it. */
  #lowest = 0;

  /** To the end of a level's queue, from wherever it stands. */
  append(entry: QueuedEntry, level: number): void {
    entry.unlink();
    entry.level = level;
    entry.appendTo(this.#head(level));
    if (level < this.#lowest) this.#lowest = level;
  }

  remove(entry: QueuedEntry): void {
    entry.unlink();
    entry.level = -1;
  }

  /** The first in the lowest queue. Somebody must stand in one. */
  lowest(): QueuedEntry {
    let head = this.#head(this.#lowest);
    while (head.next === head) head = this.#head(++this.#lowest);
    return head.next as QueuedEntry;
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
