import { batchCriticality, type Criticality, criticalityRank } from '../../core/index.js';
import type { NamedRoute } from '../settings/index.js';

/** How critical requests of a route are: all the same, or what trusted callers say, within bounds. Of a batch, no more than that. */
export class CriticalityRule {
  readonly #assigned: Criticality | undefined;
  readonly #default: Criticality;
  readonly #max: Criticality;

  constructor(rule: NamedRoute['criticality'], isBatch = false) {
    const most = isBatch ? batchCriticality : (each: Criticality) => each;
    this.#assigned = typeof rule === 'string' ? most(rule) : undefined;
    this.#default = most(typeof rule === 'string' ? rule : rule.default);
    this.#max = most(typeof rule === 'string' ? rule : rule.max);
  }

  /** Whether it is what holds anyway: then nobody needs to be asked. */
  get isUsual(): boolean {
    return this.#assigned === undefined && this.#default === 'CRITICAL' && this.#max === 'CRITICAL_PLUS';
  }

  /** `said`: by a trusted caller. `ceiling`: of whoever asks. */
  decide(said: Criticality | undefined, ceiling: Criticality | undefined): Criticality {
    const wanted = this.#assigned ?? lower(said ?? this.#default, this.#max);
    return ceiling === undefined ? wanted : lower(wanted, ceiling);
  }
}

function lower(one: Criticality, other: Criticality): Criticality {
  return criticalityRank(one) <= criticalityRank(other) ? one : other;
}
