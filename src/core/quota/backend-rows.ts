import { REPORT_STRIDE, type UsageReport } from './usage-report.js';

/** The last report of one backend, with the place of each row's customer among all customers. */
export class BackendRows {
  heardMs = 0;
  count = 0;
  rates = new Float32Array(0);
  refused = new Uint8Array(0);
  isSuspended = false;
  /** By row; below zero: nobody's, or somebody for whom there is no place. */
  places = new Int32Array(0);
  #names: readonly (string | undefined)[] = [];
  #edition = -1;

  take({ names, count, rates, refused, isSuspended }: UsageReport, heardMs: number): void {
    this.heardMs = heardMs;
    this.isSuspended = isSuspended;
    this.count = count;
    if (names !== this.#names) this.#edition = -1;
    this.#names = names;
    if (this.places.length < count) {
      this.places = new Int32Array(count);
      this.refused = new Uint8Array(count);
      this.rates = new Float32Array(count * REPORT_STRIDE);
    }
    this.rates.set(rates.subarray(0, count * REPORT_STRIDE));
    this.refused.set(refused.subarray(0, count));
  }

  /** Looks names up only when they are others, or customers have changed places (another `edition`). */
  locate(edition: number, placeOf: (name: string) => number): void {
    if (edition === this.#edition) return;
    this.#edition = edition;
    for (let row = 0; row < this.count; row++) {
      const name = this.#names[row];
      this.places[row] = name === undefined ? -1 : placeOf(name);
    }
  }
}
