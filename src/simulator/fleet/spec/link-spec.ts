import * as z from 'zod';
import { Roster } from '../../../core/health/index.js';
import { createPicker, POLICY_NAMES, type PolicyOptions } from '../../../core/picking/index.js';
import { count, factor, positiveMs, share } from './numbers.js';

const policyName = z.enum(POLICY_NAMES);

/** By its name, or with options, which the policy itself checks. */
const policy = z
  .union([policyName, z.looseObject({ name: policyName })], {
    error: `one of ${POLICY_NAMES.join(', ')}, or an object with such a name and its options`,
  })
  .superRefine((given, context) => {
    try {
      createPicker(new Roster(), () => 0, given as PolicyOptions);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
    }
  });

const subset = z.strictObject({
  /** Backends that each client uses. */
  size: count,
  algorithm: z.enum(['random', 'deterministic', 'rocksteadier']).default('rocksteadier'),
});

const throttle = z.strictObject({
  /** A client sends this many times what was accepted of late. */
  k: z.number().gt(1).max(1_000).default(2),
  /** How much history decides. */
  windowMs: positiveMs.default(120_000),
  /** What ends the throttling: the overload leaves the window, or so many accepts in a row that they are no chance. */
  recovery: z.enum(['window', 'streak']).default('window'),
});

const retry = z.strictObject({
  /** How often one request is sent at most; 1 = no retries. */
  maxAttempts: z.int().min(1).max(10).default(3),
  /** Retries for each request of a client, at most. */
  budget: z.number().min(0).max(10).default(0.1),
});

const localities = z.strictObject({
  /** Requests per second that one backend may be sent, by all clients of the group together. */
  capacityPerBackend: factor,
  /** The utilization up to which a locality is filled before the next one is used. */
  targetUtilization: share.default(0.8),
});

/** How a backend of one service uses another service: the options of a balancing client. */
export const callFields = {
  /** Which backend each request goes to. */
  policy: policy.default('prequal'),
  /** Left out: every client uses all backends. */
  subset: subset.optional(),
  /** Client-side throttling; false = off. */
  throttle: z.union([z.literal(false), throttle]).prefault({}),
  retry: retry.prefault({}),
  /** Requests that may be active at one backend before it is sent no more. */
  activeLimit: count.default(100),
  /** Outlier ejection; false = off. */
  ejects: z.boolean().default(true),
} as const;

/** The same for a client. */
export const linkFields = {
  ...callFields,
  /** Nearest locality first, never past its capacity. Left out: localities do not matter. */
  localities: localities.optional(),
} as const;

export const linkSchema = z.strictObject(linkFields);

export type LinkSpec = z.output<typeof linkSchema>;
