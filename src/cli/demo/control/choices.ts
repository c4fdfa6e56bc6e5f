import type { PolicyName } from '../../../core/picking/index.js';
import type { CostMixName } from '../load/cost-mixes.js';
import type { CriticalityMixName } from '../load/criticality-mixes.js';
import { LOAD_RANGE } from './load-range.js';

/** `none`, or the name of a backend. */
export const NONE = 'none';

/** What is chosen on the page. */
export interface Choices {
  readonly load: number;
  readonly costMix: CostMixName;
  readonly criticalityMix: CriticalityMixName;
  readonly isMisbehaving: boolean;
  readonly slow: string;
  readonly lameDuck: string;
  readonly policy: PolicyName;
  readonly subset: number;
  readonly isGuarded: boolean;
}

export const FIRST_CHOICES: Choices = Object.freeze({
  load: LOAD_RANGE.initial,
  costMix: 'mixed',
  criticalityMix: 'usual',
  isMisbehaving: false,
  slow: NONE,
  lameDuck: NONE,
  policy: 'weighted',
  subset: 6,
  isGuarded: true,
});
