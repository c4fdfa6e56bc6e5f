import { checkDistinct, checkInteger, checkOneOf, checkWithin, withDefaults } from '../check.js';
import { RejectedError } from '../errors.js';
import type { Lesson } from '../outcome.js';
import { Backend, type BackendState, CONNECTION_STATES, type ConnectionState } from './backend.js';
import { IndexSet } from './index-set.js';
import { OutlierDetector } from './outlier-detector.js';
import type { OutlierOptions } from './outlier-options.js';
import { OutlierRecord } from './outlier-record.js';

/** Flow control, and when opinions on backends count no more. */
export interface RosterOptions {
  /** Requests that may be active at one backend before it is sent no more, until some are done. */
  readonly activeLimit: number;
  /** When a smaller share of the backends than this is healthy, ejections are disregarded; 0 never. */
  readonly panicShare: number;
  /** Outlier ejection; `false` turns it off. */
  readonly outliers: Partial<OutlierOptions> | false;
}

export const ROSTER_DEFAULTS: RosterOptions = Object.freeze({
  // SRE ch. 20, "Flow Control": "about 100" is right for most; answers are fast enough that it is rarely reached.
  activeLimit: 100,
  // Envoy's panic threshold. With half of the backends gone the rest carries twice its load: from there on the
  // opinion that a backend is bad does more harm than the backend.
  panicShare: 0.5,
  outliers: Object.freeze({}),
});

/**
 * The backends that may be sent to, at one moment. The list never changes: a change makes a new snapshot, and whoever
 * holds the old one finishes its pick on it. Only `open`, the positions below their flow-control limit, is live.
 */
export interface Snapshot {
  readonly backends: readonly Backend[];
  readonly open: IndexSet;
  /** So few are healthy that ejections are disregarded. */
  readonly isPanicking: boolean;
}

/**
 * The backends of one subset, each as this client sees it: who belongs to it, who may be sent to, how many requests
 * are active at each. Bindings report facts (`update`, `mark`), pickers ask for the snapshot and report outcomes.
 */
export class Roster {
  readonly activeLimit: number;
  readonly #panicShare: number;
  readonly #detector: OutlierDetector | undefined;
  readonly #members = new Map<string, Backend>();
  /** Those that left with requests under way, or ejected: if they come back, that still holds. */
  readonly #departed = new Map<string, Backend>();
  #records: OutlierRecord[] = [];
  #nextOrdinal = 0;
  #isStale = true;
  /** When the detector has something to do; never without one. */
  #dueMs: number;
  #snapshot: Snapshot = { backends: [], open: new IndexSet(0), isPanicking: false };

  constructor(options?: Partial<RosterOptions>) {
    const { activeLimit, panicShare, outliers } = withDefaults('roster', ROSTER_DEFAULTS, options);
    this.activeLimit = checkInteger('activeLimit', activeLimit, 1);
    this.#panicShare = checkWithin('panicShare', panicShare, 0, 1);
    this.#detector = outliers === false ? undefined : new OutlierDetector(outliers);
    this.#dueMs = this.#detector?.dueMs ?? Number.POSITIVE_INFINITY;
  }

  /**
   * The backends of the subset are now these. Those that stay keep all that is known of them; one that left and comes
   * back keeps its active requests and its ejection, or a list that flaps would be a way around both.
   */
  update(keys: readonly string[]): void {
    const wanted = checkDistinct('backends', keys);
    for (const [key, backend] of this.#members) {
      if (wanted.has(key)) continue;
      this.#members.delete(key);
      this.#departed.set(key, backend);
      backend.position = -1;
      if (backend.connection === 'refusing') backend.outlier = new OutlierRecord();
      backend.connection = 'connecting';
    }
    for (const key of keys) {
      if (this.#members.has(key)) continue;
      const backend = this.#departed.get(key) ?? new Backend(key);
      backend.ordinal = this.#nextOrdinal++;
      this.#departed.delete(key);
      this.#members.set(key, backend);
    }
    for (const [key, { active, outlier }] of this.#departed) {
      if (active === 0 && !outlier.isEjected) this.#departed.delete(key);
    }
    this.#changed();
  }

  /** A fact about the connection to a backend. False when it is no member (any more): news may come late. */
  mark(key: string, connection: ConnectionState, now: number): boolean {
    checkOneOf('connection', connection, CONNECTION_STATES);
    const backend = this.#members.get(key);
    if (backend === undefined) {
      // Another one has its place while it is gone; that it is gone counts all the same.
      const departed = this.#departed.get(key);
      if (connection === 'refusing' && departed !== undefined) this.#renew(departed);
      return false;
    }
    if (backend.connection === connection) return true;
    if (backend.connection === 'refusing') this.#renew(backend);
    if (connection === 'ready') backend.readySinceMs = now;
    backend.connection = connection;
    this.#changed();
    return true;
  }

  /** What may be sent to now. */
  snapshot(now: number): Snapshot {
    if (now >= this.#dueMs) this.#sweep(now);
    if (this.#isStale) this.#rebuild();
    return this.#snapshot;
  }

  /** A request goes to this backend. */
  acquire(backend: Backend): void {
    backend.sent++;
    backend.active++;
    if (backend.active >= this.activeLimit && backend.position >= 0)
      this.#snapshot.open.delete(backend.position);
  }

  /** A request there is over, however it ended: exactly once for each `acquire`. */
  release(backend: Backend): void {
    backend.active--;
    if (backend.active === this.activeLimit - 1 && backend.position >= 0)
      this.#snapshot.open.add(backend.position);
  }

  /** What an outcome says about a backend's health. `turn`: what its `sent` was after the request was acquired. */
  learn(backend: Backend, { ejection }: Lesson, now: number, turn?: number): void {
    if (ejection === 'neither' || this.#detector === undefined) return;
    const isSuspect = this.#detector.observe(backend.outlier, ejection === 'success', turn, backend.sent);
    if (!isSuspect || this.#members.get(backend.key) !== backend) return;
    if (this.#detector.tryEject(backend.outlier, this.#records, now)) this.#isStale = true;
    this.#dueMs = this.#detector.dueMs;
  }

  get(key: string): Backend | undefined {
    return this.#members.get(key);
  }

  /** All members, in the order they joined. */
  members(): Iterable<Backend> {
    return this.#members.values();
  }

  /** How many members are in each state. */
  countStates(): Record<BackendState, number> {
    const counts = { connecting: 0, ready: 0, 'lame-duck': 0, unhealthy: 0, refusing: 0, ejected: 0 };
    for (const backend of this.#members.values()) counts[backend.state]++;
    return counts;
  }

  /** Whoever accepts connections there next is a new process. What its predecessor did is not held against it. */
  #renew(backend: Backend): void {
    backend.outlier = new OutlierRecord();
    this.#changed();
  }

  #sweep(now: number): void {
    const detector = this.#detector!;
    if (detector.sweep(this.#records, now)) this.#isStale = true;
    this.#dueMs = detector.dueMs;
  }

  #changed(): void {
    this.#isStale = true;
    // With those that have left: an ejection ends when its time is over, wherever the backend is.
    const known = [...this.#members.values(), ...this.#departed.values()];
    this.#records = known.map((backend) => backend.outlier);
  }

  /**
   * Usable are the ready ones that are not ejected. In a panic the ejected ones too: that disregards opinions, which
   * may be wrong about all at once, and never facts (a closed port, a lame duck's own word).
   */
  #rebuild(): void {
    let healthy = 0;
    for (const backend of this.#members.values()) if (backend.state === 'ready') healthy++;
    const isPanicking = healthy < this.#members.size * this.#panicShare;
    const backends: Backend[] = [];
    for (const backend of this.#members.values()) {
      const isUsable = isPanicking ? backend.connection === 'ready' : backend.state === 'ready';
      backend.position = isUsable ? backends.length : -1;
      if (isUsable) backends.push(backend);
    }
    const open = new IndexSet(backends.length);
    for (const backend of backends) if (backend.active < this.activeLimit) open.add(backend.position);
    this.#snapshot = { backends, open, isPanicking };
    this.#isStale = false;
  }
}

/** Why nothing can be picked, in the words an engineer on call needs. */
export function noBackendError(roster: Roster): RejectedError {
  const states = Object.entries(roster.countStates()).filter(([, count]) => count > 0);
  const total = states.reduce((sum, [, count]) => sum + count, 0);
  const details = states.map(([state, count]) => `${count} ${state}`).join(', ');
  const message =
    total === 0 ? 'the service has no backends' : `none of ${total} backends is usable: ${details}`;
  return new RejectedError('PLIMSOLL_NO_BACKEND', message, { retry: 'later' });
}
