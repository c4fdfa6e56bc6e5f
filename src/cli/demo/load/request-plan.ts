import type { Criticality, Random } from '../../../core/index.js';
import { CUSTOMERS, type Customer, MISBEHAVING, MISBEHAVING_TIMES } from '../customers.js';
import { COST_MIXES } from './cost-mixes.js';
import { CRITICALITY_MIXES } from './criticality-mixes.js';
import { draw } from './draw.js';
import type { LoadPlan } from './load-plan.js';

/** Of what can wait: who exports wants a file by and by. There is a rate limit for these. */
const EXPORT_SHARE = 0.25;
const EXPORT_PATH = '/export';
const PAGE_PATH = '/page';

/** One request, before it is sent. */
export interface PlannedRequest {
  readonly customer: Customer;
  readonly criticality: Criticality;
  readonly path: string;
}

/** What all send together. */
export function offeredPerSecond({ perSecond, isMisbehaving }: LoadPlan): number {
  return perSecond * customerParts(isMisbehaving).reduce((sum, { share }) => sum + share, 0);
}

export function planRequest(
  { costMix, criticalityMix, isMisbehaving }: LoadPlan,
  random: Random,
): PlannedRequest {
  const customer = draw(customerParts(isMisbehaving), random());
  const criticality = draw(CRITICALITY_MIXES[criticalityMix], random());
  const isExport = criticality === 'SHEDDABLE_PLUS' && random() < EXPORT_SHARE;
  const cost = draw<number>(COST_MIXES[costMix], random());
  return { customer, criticality, path: `${isExport ? EXPORT_PATH : PAGE_PATH}?cost=${cost}` };
}

function customerParts(isMisbehaving: boolean) {
  return CUSTOMERS.map((value) => ({
    value,
    share: isMisbehaving && value.name === MISBEHAVING ? value.share * MISBEHAVING_TIMES : value.share,
  }));
}
