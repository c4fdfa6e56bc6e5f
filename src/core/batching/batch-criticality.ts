import { type Criticality, criticalityRank } from '../criticality.js';

/** SRE ch. 21, "Criticality": the default for batch jobs, which try again minutes later. */
export const BATCH_CRITICALITY: Criticality = 'SHEDDABLE_PLUS';

/** What comes as a batch is never more critical than that, whatever it says; what is less critical stays so. */
export function batchCriticality(said: Criticality): Criticality {
  return criticalityRank(said) < criticalityRank(BATCH_CRITICALITY) ? said : BATCH_CRITICALITY;
}
