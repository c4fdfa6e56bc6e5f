import { CRITICALITIES, criticalityRank } from '../../core/criticality.js';
import type { RefusalReason } from '../../core/gate/index.js';
import type { Outcome } from '../../core/outcome.js';
import type { Attempt } from './attempt.js';

/** Third and later attempts are counted together: three is what clients make at most, as a rule. */
const ATTEMPTS_TOLD_APART = 3;

/** What one backend did while it was counted. */
export class BackendTally {
  /** False once the measured time is over: what is done afterwards is in no rate. */
  isCounting = true;
  arrivals = 0;
  served = 0;
  failed = 0;
  refused = 0;
  /** Of requests that nobody waited for any more when they were done. */
  wasted = 0;
  readonly attempts = new Float64Array(ATTEMPTS_TOLD_APART);
  readonly refusedByRank = new Float64Array(CRITICALITIES.length);
  readonly refusedBy: Partial<Record<RefusalReason, number>> = {};

  onArrival({ attempt }: Attempt): void {
    if (!this.isCounting) return;
    this.arrivals++;
    this.attempts[Math.min(attempt, ATTEMPTS_TOLD_APART) - 1]!++;
  }

  onFinished({ isAbandoned }: Attempt, outcome: Outcome): void {
    if (!this.isCounting) return;
    if (isAbandoned) this.wasted++;
    else if (outcome === 'answered') this.served++;
    else this.failed++;
  }

  onRefused({ criticality }: Attempt, reason: RefusalReason): void {
    if (!this.isCounting) return;
    this.refused++;
    this.refusedByRank[criticalityRank(criticality)]!++;
    this.refusedBy[reason] = (this.refusedBy[reason] ?? 0) + 1;
  }

  /** The counting begins. */
  reset(): void {
    this.arrivals = this.served = this.failed = this.refused = this.wasted = 0;
    this.attempts.fill(0);
    this.refusedByRank.fill(0);
    for (const reason of Object.keys(this.refusedBy)) delete this.refusedBy[reason as RefusalReason];
  }
}
