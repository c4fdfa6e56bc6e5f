import * as z from 'zod';
import { CRITICALITIES } from '../../../core/criticality.js';
import { arrivalsSchema, createDistribution, distributionSchema } from '../../models/index.js';
import { linkFields } from './link-spec.js';
import { count, hasWeight, NO_WEIGHT, name, positiveMs, share, weight } from './numbers.js';

const criticality = z.enum(CRITICALITIES);

/** A group of clients that do alike. */
export const clientSchema = z.strictObject({
  count: count.default(1),
  service: name,
  /** Requests of one client, whether or not earlier ones were answered. */
  arrivals: arrivalsSchema,
  /** How much more or less than that each client asks for: drawn once for every client, relative to the mean. */
  demand: distributionSchema
    .refine((demand) => createDistribution(demand).mean > 0, 'the mean must be > 0')
    .default(1),
  /** One for all, or how often each comes, as weights. */
  criticality: z
    .union([criticality, z.partialRecord(criticality, weight).refine(hasWeight, NO_WEIGHT)])
    .default('CRITICAL'),
  customer: name.default('anyone'),
  /** How often each kind of request comes, as weights; left out: all alike. */
  kinds: z.record(name, weight).refine(hasWeight, NO_WEIGHT).optional(),
  deadlineMs: positiveMs.default(1_000),
  /** The part of the requests that may be sent again when nobody knows whether they were processed. */
  idempotentShare: share.default(1),
  /** Where the clients are. */
  locality: name.default('here'),
  ...linkFields,
});

export type ClientSpec = z.output<typeof clientSchema>;
