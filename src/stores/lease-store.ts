import type { LeaseAsk, LeaseGrant } from '../core/index.js';
import type { RateRule } from './rate-store.js';

/** What one process asks about one key. */
export interface LeaseRequest extends LeaseAsk {
  readonly rule: RateRule;
  readonly key: string;
}

/** A store that several processes share and that hands out units in blocks. Its states are other ones than those of `take`. */
export interface LeaseStore {
  /** One grant for each, in their order; undefined for one that could not be decided. */
  lease(requests: readonly LeaseRequest[]): Promise<readonly (LeaseGrant | undefined)[]>;
}
