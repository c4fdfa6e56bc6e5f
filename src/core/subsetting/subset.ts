import { type BackendList, checkBackends } from './check-backends.js';
import { checkSubsetting, firstKeys, orderSeats, type SubsettingOptions } from './choose-subset.js';

/** What a change of members asks of the client: connections to open, connections to drop. */
export interface SubsetChange {
  joined: string[];
  left: string[];
}

/**
 * One client's subset of a service whose backends come, go and fail. Members follow from the list and from who is up,
 * never from the way there: after any history two clients with the same id agree, and a member that is up again gets
 * its place back from the one that stood in for it, the last to have been called.
 */
export class Subset {
  readonly #options: Required<SubsettingOptions>;
  readonly #down = new Set<string>();
  #backends: BackendList = [];
  #listed: ReadonlySet<string | undefined> = new Set();
  #order: Uint32Array = new Uint32Array(0);
  #preferred: readonly string[] = [];
  #members: readonly string[] = [];

  constructor(options: SubsettingOptions) {
    this.#options = checkSubsetting(options);
  }

  /** The backends to use now, the most preferred first. */
  get members(): readonly string[] {
    return this.#members;
  }

  /** The members if all backends were up: whoever of them is down is worth probing, its return changes the subset. */
  get preferred(): readonly string[] {
    return this.#preferred;
  }

  /**
   * Takes the service's list as it is now. Fewer backends than `size` are all used: the list shrinks while the client
   * runs, by someone else's doing, and throwing would turn a scale-down into an outage. Who is known to be down stays
   * so while it is listed.
   */
  update(backends: BackendList): SubsetChange {
    const size = Math.min(this.#options.size, checkBackends(backends));
    this.#backends = [...backends];
    this.#order = size === 0 ? new Uint32Array(0) : orderSeats(backends.length, { ...this.#options, size });
    this.#listed = new Set(backends);
    for (const key of this.#down) if (!this.#listed.has(key)) this.#down.delete(key);
    this.#preferred = firstKeys(this.#backends, this.#order, size);
    return this.#choose();
  }

  /** Tells what health checks found. News of a backend no longer listed is late, and ignored. */
  setUp(key: string, isUp: boolean): SubsetChange {
    if (isUp) this.#down.delete(key);
    else if (this.#listed.has(key)) this.#down.add(key);
    return this.#choose();
  }

  #choose(): SubsetChange {
    const up = firstKeys(this.#backends, this.#order, this.#preferred.length, this.#down);
    // With nobody up keep trying one's own: who returns first should not be met by all clients at once.
    const members = up.length > 0 ? up : this.#preferred;
    const change = { joined: without(members, this.#members), left: without(this.#members, members) };
    this.#members = members;
    return change;
  }
}

function without(keys: readonly string[], others: readonly string[]): string[] {
  const excluded = new Set(others);
  return keys.filter((key) => !excluded.has(key));
}
