import { CRITICALITIES, type Criticality } from '../../../core/index.js';
import { nearestRank } from '../../../core/measuring/index.js';
import { CUSTOMERS } from '../customers.js';
import type { LoadFigures, OutcomeCounts } from '../messages.js';

/** What became of a request. */
export type LoadOutcome = 'served' | 'refused' | 'failed' | 'late';

type Counts = { -readonly [Name in keyof OutcomeCounts]: OutcomeCounts[Name] };

/** Counts of some time; times that follow each other can be added up. */
class Tally {
  ms = 0;
  failed = 0;
  late = 0;
  readonly latenciesMs: number[] = [];
  readonly byCriticality = zeros<Criticality>(CRITICALITIES);
  readonly byCustomer = zeros(CUSTOMERS.map(({ name }) => name));

  add(other: Tally): void {
    this.ms += other.ms;
    this.failed += other.failed;
    this.late += other.late;
    for (const ms of other.latenciesMs) this.latenciesMs.push(ms);
    addAll(this.byCriticality, other.byCriticality);
    addAll(this.byCustomer, other.byCustomer);
  }

  figures(): LoadFigures {
    const { ms, failed, late, byCriticality, byCustomer } = this;
    const sorted = Float64Array.from(this.latenciesMs).sort();
    const quantile = (q: number) => sorted[nearestRank(q, sorted.length) - 1] ?? 0;
    const all: Counts = { offered: 0, served: 0, refused: 0 };
    for (const counts of Object.values(byCriticality)) addCounts(all, counts);
    return {
      ms,
      ...all,
      failed,
      late,
      p50Ms: quantile(0.5),
      p99Ms: quantile(0.99),
      byCriticality,
      byCustomer,
    };
  }
}

function zeros<Name extends string>(names: readonly Name[]): Record<Name, Counts> {
  return Object.fromEntries(names.map((name) => [name, { offered: 0, served: 0, refused: 0 }])) as Record<
    Name,
    Counts
  >;
}

function addAll(sums: Record<string, Counts>, others: Readonly<Record<string, Counts>>): void {
  for (const [name, counts] of Object.entries(others)) addCounts(sums[name]!, counts);
}

function addCounts(sum: Counts, { offered, served, refused }: OutcomeCounts): void {
  sum.offered += offered;
  sum.served += served;
  sum.refused += refused;
}

/** Two seconds: long enough for a rate of a few a second, short enough to see what one has done. */
const RECENT_SLOTS = 4;

/** What becomes of the requests of all customers: of the last two seconds, and of all since it was asked to count. */
export class LoadMeter {
  #slot = new Tally();
  #slotMs: number;
  #recent: Tally[] = [];
  /** Undefined: nobody has asked for it. It has every latency, which nobody wants to keep for days. */
  #total: Tally | undefined = undefined;

  constructor(now: number) {
    this.#slotMs = now;
  }

  offered(customer: string, criticality: Criticality): void {
    this.#slot.byCriticality[criticality].offered++;
    this.#slot.byCustomer[customer]!.offered++;
  }

  /** `latencyMs` from the instant at which it was due: waiting to be sent is waiting. */
  ended(customer: string, criticality: Criticality, outcome: LoadOutcome, latencyMs: number): void {
    if (outcome === 'failed' || outcome === 'late') {
      this.#slot[outcome]++;
      return;
    }
    this.#slot.byCriticality[criticality][outcome]++;
    this.#slot.byCustomer[customer]![outcome]++;
    if (outcome === 'served') this.#slot.latenciesMs.push(latencyMs);
  }

  /** Ends a slot, twice a second or so: figures are of whole ones. */
  turn(now: number): void {
    this.#slot.ms = now - this.#slotMs;
    this.#slotMs = now;
    this.#recent = [...this.#recent, this.#slot].slice(-RECENT_SLOTS);
    this.#total?.add(this.#slot);
    this.#slot = new Tally();
  }

  /** Begins to count for a total. */
  count(now: number): void {
    this.#slot = new Tally();
    this.#slotMs = now;
    this.#total = new Tally();
  }

  get recent(): LoadFigures {
    const sum = new Tally();
    for (const tally of this.#recent) sum.add(tally);
    return sum.figures();
  }

  /** Of all whole slots since it was asked to count. */
  get total(): LoadFigures {
    return (this.#total ?? new Tally()).figures();
  }
}
