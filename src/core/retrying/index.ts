export {
  decideRetry,
  isRationed,
  MAX_ATTEMPTS,
  type RetryContext,
  type RetryVerdict,
} from './decide-retry.js';
export { type OutcomeAbove, outcomeForAbove } from './layering.js';
export {
  OVERLOAD_ADVICE_DEFAULTS,
  OverloadAdvice,
  type OverloadAdviceOptions,
  type OverloadAdviceState,
  type OverloadError,
} from './overload-advice.js';
export {
  RETRY_BUDGET_DEFAULTS,
  RetryBudget,
  type RetryBudgetOptions,
  type RetryBudgetState,
} from './retry-budget.js';
