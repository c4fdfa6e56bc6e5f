import { type Spread, spread } from '../../core/measuring/index.js';

/** How evenly backends were used over some time: of each the mean of what it has reported. */
export class UtilizationSpread {
  readonly #sums = new Map<string, { sum: number; count: number }>();

  observe(backend: string, utilization: number): void {
    const known = this.#sums.get(backend) ?? { sum: 0, count: 0 };
    this.#sums.set(backend, { sum: known.sum + utilization, count: known.count + 1 });
  }

  get spread(): Spread {
    return spread([...this.#sums.values()].map(({ sum, count }) => sum / count));
  }
}
