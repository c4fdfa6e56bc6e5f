import type { Random } from '../environment.js';
import type { Backend } from '../health/backend.js';
import { IndexSet } from '../health/index-set.js';
import type { Lesson } from '../outcome.js';
import { LevelQueues, QueuedEntry } from './level-queues.js';
import type { Policy } from './picker.js';
import { RecentErrors } from './recent-errors.js';
import { nextTurn } from './turn-order.js';

/**
 * SRE ch. 20, "Least-Loaded Round Robin": round robin among the backends with the fewest active requests of this
 * client. A queue for each number of active requests; who is picked goes to the end of the next one, who is done to
 * the end of the one below. So a pick costs the same however many backends there are.
 *
 * A backend that fails or refuses at once has few active requests, and would draw all the traffic, a sinkhole. So its
 * recent errors count as if they were active.
 *
 * Its other limits are the text's: active requests say little about load when they wait for something else, and other
 * clients' requests are not seen.
 */
export class LeastLoadedPolicy implements Policy<QueuedEntry> {
  readonly #random: Random;
  readonly #queues = new LevelQueues();
  readonly #errors = new RecentErrors<QueuedEntry>();
  #entries: readonly QueuedEntry[] = [];
  #open = new IndexSet(0);
  #lastOrdinal: number | undefined;

  constructor(random: Random) {
    this.#random = random;
  }

  enlist(backend: Backend): QueuedEntry {
    return new QueuedEntry(backend);
  }

  adopt(entries: readonly QueuedEntry[], open: IndexSet): void {
    for (const entry of this.#entries) this.#queues.remove(entry);
    this.#entries = entries;
    this.#open = open;
    const first = nextTurn(entries, this.#lastOrdinal, this.#random);
    for (let turn = 0; turn < entries.length; turn++) {
      const entry = entries[(first + turn) % entries.length]!;
      this.#queues.append(entry, levelOf(entry));
    }
  }

  choose(now: number): QueuedEntry {
    for (let entry = this.#errors.forget(now); entry !== undefined; entry = this.#errors.forget(now)) {
      if (entry.level >= 0) this.#queues.append(entry, levelOf(entry));
    }
    for (;;) {
      const entry = this.#queues.lowest();
      if (this.#open.has(entry.backend.position)) {
        this.#lastOrdinal = entry.backend.ordinal;
        this.#queues.append(entry, entry.level + 1);
        return entry;
      }
      // Full: out of the queues until something there is done.
      this.#queues.remove(entry);
    }
  }

  onDone(entry: QueuedEntry, { throttle, ejection }: Lesson, now: number): void {
    const isError = ejection === 'failure' || throttle === 'rejected' || throttle === 'rejected-customer';
    if (isError) this.#errors.add(entry, now);
    if (entry.backend.position >= 0) this.#queues.append(entry, levelOf(entry));
  }
}

function levelOf({ backend, errors }: QueuedEntry): number {
  return backend.active + errors;
}
