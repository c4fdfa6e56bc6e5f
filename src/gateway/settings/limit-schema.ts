import * as z from 'zod';
import { written } from '../../config/index.js';
import { ALGORITHM_NAMES, parseRate } from '../../core/index.js';
import { FAILURE_DEFAULTS, fallbackOf } from '../../rate-limit/fallback.js';
import { ruleOf } from '../../rate-limit/limiter-options.js';
import { addProblem, matching, nameText, together } from './texts.js';

const rateText = written(
  'a rate like "300/3h"',
  '^\\s*\\d+\\s*(/|[Pp][Ee][Rr]\\b)\\s*\\d*\\s*[A-Za-z]+\\s*$',
  (text) => {
    parseRate(text);
    return text;
  },
);

const keyPart = matching(
  'one of all, ip, api-key, customer, route, method, header:<name> and jwt:<claim>',
  /^(?:all|ip|api-key|customer|route|method|header:[\w!#$%&'*+.^`|~-]{1,128}|jwt:.{1,256})$/,
);

const fields = {
  rate: rateText,
  algorithm: z
    .enum(ALGORITHM_NAMES)
    // `5/min` is then five in any minute, within a few per cent, and takes two numbers a key.
    .default('sliding-counter'),
  burst: z.int().min(1).optional().meta({ description: 'How much passes at once, for buckets and gcra.' }),
  countRefused: z.boolean().optional(),
  key: z
    .union([keyPart, z.array(keyPart).min(1).max(8)])
    // Whoever it is: all who are not known have their address in common with few.
    .default('ip')
    .meta({ description: 'Whose requests are counted together.' }),
  cost: z.int().min(0).default(1),
  onLimit: z.enum(['refuse', 'shadow', 'queue']).default('refuse'),
  onStoreFailure: z.enum(['allow', 'refuse']).optional().meta({
    description: 'Without Redis, where there is no localShare: allow by default.',
  }),
  localShare: z.number().positive().max(1).optional(),
};

type Limit = z.output<z.ZodObject<typeof fields>>;

/** What costs more than there ever is never passes. What is wrong with the limit itself is told elsewhere. */
function checkCost(limit: Limit): void {
  const { limit: rate, burst = rate } = parsed(limit);
  if (limit.cost > burst)
    throw new RangeError(`must be ${burst} at most, or nothing ever passes, got ${limit.cost}`);
}

function parsed(limit: Limit): { readonly limit: number; readonly burst?: number | undefined } {
  try {
    return ruleOf('limit', limit).options;
  } catch {
    return { limit: Number.POSITIVE_INFINITY };
  }
}

function checkLimit(limit: Limit, context: z.RefinementCtx): void {
  addProblem(context, () => fallbackOf(ruleOf('limit', limit), { ...FAILURE_DEFAULTS, ...limit }));
  if (limit.localShare !== undefined && limit.onStoreFailure !== undefined) {
    const message = `must not be given beside localShare, which is instead of it, got "${limit.onStoreFailure}"`;
    context.addIssue({ code: 'custom', path: ['onStoreFailure'], message });
  }
  addProblem(context, () => checkCost(limit), ['cost']);
  if (limit.onLimit === 'queue' && limit.algorithm !== 'leaking-bucket') {
    const message = `must be leaking-bucket with onLimit queue, got "${limit.algorithm}"`;
    context.addIssue({ code: 'custom', path: ['algorithm'], message });
  }
}

/** What holds without Redis, where no process counts by itself then. */
function withFailure<T extends Limit>(limit: T): T {
  if (limit.localShare !== undefined) return limit;
  return { ...limit, onStoreFailure: limit.onStoreFailure ?? FAILURE_DEFAULTS.onStoreFailure };
}

export const limitsSchema = z
  .record(nameText, z.strictObject(fields).superRefine(together(checkLimit)).transform(withFailure))
  .default({})
  .meta({ description: 'Rate limits that routes name. Routes that name the same one count together.' });

/** As it stands in a route. It has a name, since headers and metrics tell it. */
const ownLimit = z
  .strictObject({ name: nameText, ...fields })
  .superRefine(together(checkLimit))
  .transform(withFailure);

export const routeLimitsSchema = z
  .array(z.union([nameText, ownLimit]))
  .max(16)
  .default([])
  .meta({ description: 'Names of limits, or limits of this route alone.' });

export type LimitSettings = z.output<z.ZodObject<typeof fields>>;
export type OwnLimit = z.output<typeof ownLimit>;
