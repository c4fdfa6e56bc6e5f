import * as z from 'zod';
import { POLICY_NAMES } from '../../../core/picking/index.js';
import { count, factor, positiveMs, share } from './numbers.js';

const policyName = z.enum(POLICY_NAMES);

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

/** How a client, or a backend of one service, uses another service: the options of a balancing client. */
export const linkFields = {
  /** Which backend each request goes to. */
  policy: z.union([policyName, z.looseObject({ name: policyName })]).default('prequal'),
  /** Left out: every client uses all backends. */
  subset: subset.optional(),
  /** Client-side throttling; false = off. */
  throttle: z.union([z.literal(false), throttle]).prefault({}),
  retry: retry.prefault({}),
  /** Requests that may be active at one backend before it is sent no more. */
  activeLimit: count.default(100),
  /** Outlier ejection; false = off. */
  ejects: z.boolean().default(true),
  /** Nearest locality first, never past its capacity. Left out: localities do not matter. */
  localities: localities.optional(),
} as const;

export const linkSchema = z.strictObject(linkFields);

export type LinkSpec = z.output<typeof linkSchema>;
