import * as z from 'zod';
import type { QuotaLimit, QuotaLimits } from '../../../core/quota/index.js';
import { name, positiveMs } from './numbers.js';

const amount = z.number().min(0).max(1e9);

/** CPU-seconds a second, or that and how much of it a criticality may use together with all lower ones. */
const limit = z.union([
  amount,
  z
    .strictObject({
      perSecond: amount,
      upTo: z
        .strictObject({ SHEDDABLE: amount, SHEDDABLE_PLUS: amount, CRITICAL: amount })
        .partial()
        .default({}),
    })
    .refine(
      ({ perSecond, upTo }) => isLadder(perSecond, upTo),
      'no step of upTo may allow more than the next',
    ),
]);

/** What customers may use of a service, over all its backends together. */
export const quotaSchema = z.strictObject({
  customers: z.record(name, limit).default({}),
  /** For each customer that is not named. */
  everyoneElse: limit,
  /** `when-overloaded`: only while a backend is nearly full. */
  enforce: z.enum(['always', 'when-overloaded']).default('always'),
  /** How often each backend reports, and how often the coordinator speaks. */
  everyMs: positiveMs.default(250),
});

export type QuotaSpec = z.output<typeof quotaSchema>;
type LimitSpec = z.output<typeof limit>;

type UpTo = Partial<Record<'SHEDDABLE' | 'SHEDDABLE_PLUS' | 'CRITICAL', number | undefined>>;

function isLadder(perSecond: number, { SHEDDABLE, SHEDDABLE_PLUS, CRITICAL }: UpTo): boolean {
  const steps = [SHEDDABLE, SHEDDABLE_PLUS, CRITICAL, perSecond].filter((step) => step !== undefined);
  return steps.every((step, at) => at === 0 || steps[at - 1]! <= step);
}

/** As the decisions want them. */
export function limitsOf({ customers, everyoneElse }: QuotaSpec): QuotaLimits {
  return {
    customers: Object.entries(customers).map(([customer, limit]) => ({ customer, ...limitOf(limit) })),
    everyoneElse: limitOf(everyoneElse),
  };
}

function limitOf(limit: LimitSpec): QuotaLimit {
  if (typeof limit === 'number') return { perSecond: limit };
  const given = Object.entries(limit.upTo).filter(([, step]) => step !== undefined);
  return { perSecond: limit.perSecond, upTo: Object.fromEntries(given) };
}
