import { elapsedMs } from '../elapsed.js';
import type { BackendRows } from './backend-rows.js';
import type { FleetCustomer, FleetOptions } from './fleet-customer.js';
import { FleetTable } from './fleet-table.js';
import type { FleetCustomerSnapshot, QuotaCoordinatorSnapshot } from './quota-coordinator.js';
import { type QuotaLevels, SPARE_STRIDE } from './quota-levels.js';
import type { LimitBook } from './quota-limits.js';
import { RANKS } from './rank-line.js';
import { DEMAND_AT, REPORT_STRIDE } from './usage-report.js';
import { waterLevel } from './water-level.js';

/** Demands that are looked at together: 32 MB. */
const MOST_DEMANDS = 4_000_000;

/** After a longer pause nobody knows what was used meanwhile: what is reported now was used for so long. */
const MOST_SECONDS = 1;

/**
 * Of the equal part: from the first on one is listed, below the second no more. Demand moves, and who comes and goes in
 * levels would have its part averaged anew each time, and all names would be read anew by everybody.
 */
const NOTABLE = 0.5;
const NOTABLE_STILL = 0.25;

/** From all backends' reports to each customer's level. */
export class FleetDivision {
  readonly table: FleetTable;
  #dividedMs: number | undefined;
  /** By rank, of one customer. */
  readonly #used = [0, 0, 0, 0];
  readonly #demands = [0, 0, 0, 0];
  #backends = 1;
  #columns = new Float64Array(0);
  /** Of the last levels. */
  #names: readonly string[] = [];

  constructor(book: LimitBook, maxCustomers: number, options: FleetOptions) {
    this.table = new FleetTable(book, maxCustomers, options);
  }

  /** A term begins: the next division is the first. */
  forget(): void {
    this.#dividedMs = undefined;
    this.table.clear();
  }

  divide(backends: readonly BackendRows[], now: number): void {
    const { table } = this;
    table.makePlace(now);
    for (const rows of backends) rows.locate(table.edition, table.placeOf);
    this.#addUp(backends);
    const isFirst = this.#dividedMs === undefined;
    const seconds = Math.min(MOST_SECONDS, elapsedMs(this.#dividedMs ?? now, now) / 1_000);
    this.#dividedMs = now;
    for (const [place, customer] of table.customers.entries()) {
      this.#read(place);
      if (isFirst && table.refused[place] === 1) customer.inherit();
      const isCounted = 2 * table.uncounted[place]! <= sumOf(this.#used);
      for (let rank = 0; rank < RANKS; rank++) this.#used[rank]! *= seconds;
      customer.decide(this.#used, seconds, this.#demands, isCounted, now);
    }
    this.#findLevels(backends);
  }

  levels(): Pick<QuotaLevels, 'names' | 'rank' | 'level' | 'isHeld' | 'spare'> {
    // Each is asked, also who is silent: it is not listed any more.
    const places = [...this.table.customers.keys()].filter((place) => this.#matters(place));
    const names = this.#namesOf(places);
    const rank = new Uint8Array(places.length);
    const level = new Float64Array(places.length);
    const isHeld = new Uint8Array(places.length);
    const spare = new Float64Array(places.length * SPARE_STRIDE);
    for (const [row, place] of places.entries()) {
      const customer = this.table.customers[place]!;
      const told = customer.told;
      rank[row] = told.rank;
      level[row] = told.level;
      isHeld[row] = customer.isHeld ? 1 : 0;
      this.#read(place);
      for (let top = 0; top < SPARE_STRIDE; top++)
        spare[row * SPARE_STRIDE + top] = customer.spare(top, this.#demands);
    }
    return { names, rank, level, isHeld, spare };
  }

  /** The same array as long as they are the same: whoever hears them need not look them up again. */
  #namesOf(places: readonly number[]): readonly string[] {
    const { customers } = this.table;
    const names = this.#names;
    const areSame =
      places.length === names.length && places.every((place, row) => customers[place]!.name === names[row]);
    if (!areSame) this.#names = places.map((place) => customers[place]!.name);
    return this.#names;
  }

  snapshot(): Pick<QuotaCoordinatorSnapshot, 'customers' | 'everyoneElse'> {
    const customers = this.#wanted().map((place) => this.#snapshotOf(place));
    this.#read(this.table.customers.length);
    const everyoneElse = { usedPerSecond: sumOf(this.#used), demandPerSecond: sumOf(this.#demands) };
    return { customers, everyoneElse };
  }

  #snapshotOf(place: number): FleetCustomerSnapshot {
    const { name, limits, rank, level, isHeld, savings } = this.table.customers[place]!;
    this.#read(place);
    const usedPerSecond = sumOf(this.#used);
    const demandPerSecond = sumOf(this.#demands);
    // Use is that of the last report, demand decays: they differ also for one that is refused nothing.
    const isRefused = this.table.refused[place] === 1;
    const refusedPerSecond = isRefused ? Math.max(0, demandPerSecond - usedPerSecond) : 0;
    const rates = { usedPerSecond, demandPerSecond, refusedPerSecond };
    return { customer: name, limitPerSecond: limits[RANKS - 1]!, ...rates, rank, level, isHeld, savings };
  }

  /** Those who used or wanted something lately, by place; and who is held, also while it is quiet. */
  #wanted(): number[] {
    const places: number[] = [];
    for (let place = 0; place < this.table.customers.length; place++) {
      this.#read(place);
      if (sumOf(this.#demands) + sumOf(this.#used) > 0 || this.table.customers[place]!.isHeld)
        places.push(place);
    }
    return places;
  }

  /**
   * Whether anything follows from saying it: one that is held, which backends must not forget while it is quiet, or that
   * wants more somewhere than it would have there when nobody is heard, as one does that wants more than its limit. Names
   * that are made up for a request each are not worth a row at each backend.
   */
  #matters(place: number): boolean {
    const customer = this.table.customers[place]!;
    const part = customer.isListed ? NOTABLE_STILL : NOTABLE;
    const wantsMore = this.table.peaks[place]! > (part * Math.min(...customer.limits)) / this.#backends;
    customer.isListed = customer.isHeld || wantsMore;
    return customer.isListed;
  }

  #addUp(backends: readonly BackendRows[]): void {
    this.table.clearSums();
    const { sums, refused, uncounted, peaks, customers } = this.table;
    this.#backends = backends.length;
    for (const rows of backends) {
      const { places, rates } = rows;
      for (let row = 0; row < rows.count; row++) {
        const place = places[row]! < 0 ? customers.length : places[row]!;
        const to = place * REPORT_STRIDE;
        const from = row * REPORT_STRIDE;
        let demand = 0;
        for (let rank = 0; rank < RANKS; rank++) {
          const wanted = rates[from + DEMAND_AT + rank]!;
          sums[to + rank]! += rates[from + rank]!;
          sums[to + DEMAND_AT + rank]! += wanted;
          demand += wanted;
        }
        if (demand > peaks[place]!) peaks[place] = demand;
        if (rows.refused[row] === 1) refused[place] = 1;
        if (rows.isSuspended)
          for (let rank = 0; rank < RANKS; rank++) uncounted[place]! += rates[from + rank]!;
      }
    }
  }

  #findLevels(backends: readonly BackendRows[]): void {
    const limited: number[] = [];
    for (const [place, customer] of this.table.customers.entries()) {
      customer.level = customer.room === 0 ? 0 : Number.POSITIVE_INFINITY;
      if (customer.room > 0 && customer.room < Number.POSITIVE_INFINITY) limited.push(place);
    }
    const atOnce = Math.max(1, Math.floor(MOST_DEMANDS / backends.length));
    for (let from = 0; from < limited.length; from += atOnce)
      this.#findSome(limited.slice(from, from + atOnce), backends);
  }

  #findSome(places: readonly number[], backends: readonly BackendRows[]): void {
    const { customers } = this.table;
    const height = backends.length;
    if (this.#columns.length < places.length * height)
      this.#columns = new Float64Array(places.length * height);
    const columnOf = new Int32Array(customers.length + 1).fill(-1);
    for (const [column, place] of places.entries()) columnOf[place] = column;
    const filled = this.#collect(columnOf, places.length, backends);
    for (const [column, place] of places.entries()) {
      const customer: FleetCustomer = customers[place]!;
      const from = column * height;
      customer.level = waterLevel(this.#columns, from, from + filled[column]!, customer.room);
      if (customer.level === Number.POSITIVE_INFINITY) customer.fits();
    }
  }

  /** Writes the demands of each column's customer at its own rank, one after the other; how many there are. */
  #collect(columnOf: Int32Array, columns: number, backends: readonly BackendRows[]): Uint32Array {
    const { customers } = this.table;
    const height = backends.length;
    const filled = new Uint32Array(columns);
    for (const { places, rates, count } of backends) {
      for (let row = 0; row < count; row++) {
        const place = places[row]!;
        const column = place < 0 ? -1 : columnOf[place]!;
        if (column < 0) continue;
        const demand = rates[row * REPORT_STRIDE + DEMAND_AT + customers[place]!.rank]!;
        if (demand === 0) continue;
        const at = column * height + filled[column]!;
        // A name twice in a report is no reason to write into another's column.
        if (filled[column] === height) this.#columns[at - 1]! += demand;
        else {
          this.#columns[at] = demand;
          filled[column]!++;
        }
      }
    }
    return filled;
  }

  /** A place beyond the last is nobody in particular. */
  #read(place: number): void {
    const { sums } = this.table;
    for (let rank = 0; rank < RANKS; rank++) {
      this.#used[rank] = sums[place * REPORT_STRIDE + rank]!;
      this.#demands[rank] = sums[place * REPORT_STRIDE + DEMAND_AT + rank]!;
    }
  }
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
