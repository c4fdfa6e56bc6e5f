import { CRITICALITIES, type Criticality } from '../criticality.js';
import { DecayingAverage } from '../measuring/decaying-average.js';
import type { RateGrid } from './rate-grid.js';

/** What was used, and what was wanted. */
export interface UseRates {
  /** Cost of what was served. */
  readonly usedPerSecond: number;
  /** That, and what was refused, which counts at the mean cost of those served. */
  readonly demandPerSecond: number;
}

/** Use and demand, together and by criticality. */
export interface RecentUseSnapshot extends UseRates {
  readonly byCriticality: Readonly<Record<Criticality, UseRates>>;
}

/** What one customer used lately and what it was refused, by criticality (here its rank). */
export class RecentUse {
  readonly customer: string;
  /** The slot that is filling. Whoever adds something has rolled on to the slot of now before. */
  slot: number;
  /** The one that sums are of. */
  #decayedSlot: number;
  /** The one in which something was last added. */
  #lastSlot = Number.NEGATIVE_INFINITY;
  protected readonly grid: RateGrid;
  /** Decaying sums: costs of those served, number of those refused. */
  readonly #used = [0, 0, 0, 0];
  readonly #refused = [0, 0, 0, 0];
  readonly #costs: readonly DecayingAverage[];
  /** By rank: whether any was ever served. Most customers have one criticality, and a mean cost is dear. */
  readonly #wasServed = [false, false, false, false];

  constructor(customer: string, slot: number, grid: RateGrid, costDecayMs: number) {
    this.customer = customer;
    this.slot = slot;
    this.#decayedSlot = slot;
    this.grid = grid;
    this.#costs = CRITICALITIES.map(() => new DecayingAverage({ decayMs: costDecayMs }));
  }

  /** Begins a later slot. */
  roll(slot: number): void {
    this.slot = slot;
  }

  /** Sums decay when they are looked at: accounts are rolled more often. */
  #decay(): void {
    const slots = this.slot - this.#decayedSlot;
    if (slots === 0) return;
    this.#decayedSlot = this.slot;
    const kept = this.isEmpty ? 0 : this.grid.kept(slots);
    for (let rank = 0; rank < CRITICALITIES.length; rank++) {
      this.#used[rank]! *= kept;
      this.#refused[rank]! *= kept;
    }
  }

  /** Nothing was added for so long that it is forgotten. */
  get isEmpty(): boolean {
    return this.slot - this.#lastSlot > this.grid.memorySlots;
  }

  charge(rank: number, cost: number, now: number): void {
    this.#decay();
    this.#lastSlot = this.slot;
    this.#used[rank]! += cost;
    this.#costs[rank]!.observe(now, cost);
    this.#wasServed[rank] = true;
  }

  refuse(rank: number): void {
    this.#decay();
    this.#lastSlot = this.slot;
    this.#refused[rank]! += 1;
  }

  refused(rank: number): number {
    this.#decay();
    return this.#refused[rank]!;
  }

  /** Of one request. Undefined when none was served in living memory. */
  meanCost(rank: number, now: number): number | undefined {
    return this.#wasServed[rank] ? this.#costs[rank]!.value(now) : undefined;
  }

  /** Takes over the sums of one who is forgotten, and who is in the same slot. */
  absorb(other: RecentUse): void {
    this.#decay();
    other.#decay();
    this.#lastSlot = Math.max(this.#lastSlot, other.#lastSlot);
    for (let rank = 0; rank < CRITICALITIES.length; rank++) {
      this.#used[rank]! += other.#used[rank]!;
      this.#refused[rank]! += other.#refused[rank]!;
    }
  }

  /** It is forgotten. */
  close(): void {}

  /** How much would be lost by forgetting this customer: its demand, as a sum. */
  worth(now: number): number {
    let worth = 0;
    for (let rank = 0; rank < CRITICALITIES.length; rank++) worth += this.#demand(rank, 0, now);
    return worth;
  }

  usedPerSecond(rank: number, now: number): number {
    this.#decay();
    return this.#used[rank]! / this.grid.seconds(this.slot, now);
  }

  /** A refused request counts as `unknownCost` when none of its kind was served. */
  demandPerSecond(rank: number, unknownCost: number, now: number): number {
    return this.#demand(rank, unknownCost, now) / this.grid.seconds(this.slot, now);
  }

  #demand(rank: number, unknownCost: number, now: number): number {
    this.#decay();
    const refused = this.#refused[rank]!;
    // Asked first because it is the rule, and a mean cost is dearer.
    if (refused === 0) return this.#used[rank]!;
    return this.#used[rank]! + refused * (this.meanCost(rank, now) ?? unknownCost);
  }

  snapshot(unknownCost: number, now: number): RecentUseSnapshot {
    let usedPerSecond = 0;
    let demandPerSecond = 0;
    const rates = CRITICALITIES.map((criticality, rank) => {
      const used = this.usedPerSecond(rank, now);
      const demand = this.demandPerSecond(rank, unknownCost, now);
      usedPerSecond += used;
      demandPerSecond += demand;
      return [criticality, { usedPerSecond: used, demandPerSecond: demand }] as const;
    });
    const byCriticality = Object.fromEntries(rates) as Record<Criticality, UseRates>;
    return { usedPerSecond, demandPerSecond, byCriticality };
  }
}
