import type { Backend } from '../health/backend.js';
import type { IndexSet } from '../health/index-set.js';
import type { Roster, Snapshot } from '../health/roster.js';
import type { LoadReport } from '../load-report.js';
import { type Lesson, lessonOf, type Outcome } from '../outcome.js';

/** What a policy remembers of one backend. Made once, kept while others come and go and while it is unusable itself. */
export interface Entry {
  readonly backend: Backend;
}

/**
 * How a backend is chosen: the algorithm alone. Who may be chosen, flow control and counting are the Picker's, so that
 * no policy can get them wrong.
 */
export interface Policy<E extends Entry = Entry> {
  /** First sight of a backend. */
  enlist(backend: Backend): E;
  /** There is a new snapshot: from now on choose among these. `open` holds the positions below their active limit. */
  adopt(entries: readonly E[], open: IndexSet, now: number): void;
  /** One of the open entries; asked only while there is one, and what it answers is sent to. */
  choose(now: number): E;
  /** The request is over, and no longer counted as active. */
  onDone(entry: E, lesson: Lesson, now: number): void;
  /** What a backend said of its load, with an answer or a health check. */
  onReport?(entry: E, report: LoadReport, now: number): void;
  /** For policies that have weights: this one's, 1 for the largest. Undefined: it is not among those to choose from. */
  weightOf?(entry: E): number | undefined;
  /** For policies that ask backends about their load. */
  readonly probing?: Probing;
}

/** What a driver does for a policy that probes: send what is due, hand in what comes back, in any order. */
export interface Probing {
  /** How long to wait for an answer before it counts as failed. */
  readonly timeoutMs: number;
  /** The next backend to ask, or undefined when no probe is due. Ask again until it is. */
  nextProbe(now: number): Backend | undefined;
  onAnswer(backend: Backend, report: LoadReport, now: number): void;
  onFailure(backend: Backend, now: number): void;
}

/** Why there is no pick: nothing is usable, or all that is usable is at its flow-control limit. */
export type NoPick = 'no-backend' | 'all-busy';

/** Chooses the backend of each request, on an immutable snapshot of the roster, and learns from how it went. */
export class Picker<E extends Entry = Entry> {
  readonly #roster: Roster;
  readonly #policy: Policy<E>;
  readonly #entries = new WeakMap<Backend, E>();
  #snapshot: Snapshot | undefined;

  constructor(roster: Roster, policy: Policy<E>) {
    this.#roster = roster;
    this.#policy = policy;
  }

  /** Present when the policy wants probes sent. */
  get probing(): Probing | undefined {
    return this.#policy.probing;
  }

  /** A backend for one request, counted as active there until `done`; or why there is none. */
  pick(now: number): BackendPick | NoPick {
    const snapshot = this.#roster.snapshot(now);
    if (snapshot !== this.#snapshot) this.#adopt(snapshot, now);
    if (snapshot.open.size === 0) return snapshot.backends.length === 0 ? 'no-backend' : 'all-busy';
    const entry = this.#policy.choose(now);
    const { backend } = entry;
    if (!snapshot.open.has(backend.position))
      throw new Error(`the policy chose ${backend.key}, which is not open`);
    this.#roster.acquire(backend);
    return new ActivePick(this, entry);
  }

  /**
   * This very backend, whoever chose it, counted and learned from as a pick: for a driver that gave one back, as it seemed
   * not to be used, and hears that it is.
   */
  pickAgain(backend: Backend): BackendPick {
    this.#roster.acquire(backend);
    return new ActivePick(this, this.#entryOf(backend));
  }

  /** A load report that came without a request: in the answer to a health check. */
  report(backend: Backend, report: LoadReport, now: number): void {
    this.#policy.onReport?.(this.#entryOf(backend), report, now);
  }

  /** What share a backend should get, 1 for the largest; undefined where the policy has no weights. */
  weightOf(backend: Backend): number | undefined {
    return this.#policy.weightOf?.(this.#entryOf(backend));
  }

  /** For ActivePick only, once for each pick. */
  settle(entry: E, turn: number, lesson: Lesson, now: number, report: LoadReport | undefined): void {
    this.#roster.release(entry.backend);
    this.#roster.learn(entry.backend, lesson, now, turn);
    this.#policy.onDone(entry, lesson, now);
    if (report !== undefined) this.#policy.onReport?.(entry, report, now);
  }

  #adopt(snapshot: Snapshot, now: number): void {
    this.#snapshot = snapshot;
    const entries = snapshot.backends.map((backend) => this.#entryOf(backend));
    this.#policy.adopt(entries, snapshot.open, now);
  }

  #entryOf(backend: Backend): E {
    let entry = this.#entries.get(backend);
    if (entry === undefined) {
      entry = this.#policy.enlist(backend);
      this.#entries.set(backend, entry);
    }
    return entry;
  }
}

/**
 * The right to send one request to a backend. It must be given back by `done` on every path, also when it was not
 * used.
 */
export interface BackendPick {
  readonly backend: Backend;
  /** How it went. The first call counts; a later one is ignored, so that two ends of a race may both report. */
  done(outcome: Outcome, now: number, report?: LoadReport): void;
}

/** Three fields and no closure: one of these is made for every request. */
class ActivePick<E extends Entry> implements BackendPick {
  readonly #entry: E;
  /** Its place among all that the backend was ever sent. */
  readonly #turn: number;
  /** Undefined once it is done. */
  #picker: Picker<E> | undefined;

  constructor(picker: Picker<E>, entry: E) {
    this.#picker = picker;
    this.#entry = entry;
    this.#turn = entry.backend.sent;
  }

  get backend(): Backend {
    return this.#entry.backend;
  }

  done(outcome: Outcome, now: number, report?: LoadReport): void {
    const lesson = lessonOf(outcome);
    const picker = this.#picker;
    if (picker === undefined) return;
    this.#picker = undefined;
    picker.settle(this.#entry, this.#turn, lesson, now, report);
  }
}
