import type { CostMixName } from './cost-mixes.js';
import type { CriticalityMixName } from './criticality-mixes.js';

/** What is asked of the fleet. */
export interface LoadPlan {
  /** Of all customers together, while all behave. */
  readonly perSecond: number;
  readonly costMix: CostMixName;
  readonly criticalityMix: CriticalityMixName;
  /** Customer B sends ten times what it usually does. */
  readonly isMisbehaving: boolean;
}
