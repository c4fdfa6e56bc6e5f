import * as z from 'zod';
import { distributionSchema, neighboursSchema, pausesSchema } from '../../models/index.js';
import { callFields } from './link-spec.js';
import { count, factor, milliseconds, name, positiveMs, share } from './numbers.js';
import { quotaSchema } from './quota-spec.js';

/** What a request takes. */
const work = {
  /** CPU time on a core of speed 1. */
  costMs: distributionSchema.default(10),
  /** Time in which it waits for something else and uses no CPU, in the middle. */
  waitMs: distributionSchema.default(0),
  /** The part of them that ends with an error of the handler's own. */
  failureShare: share.default(0),
} as const;

const kind = z.strictObject(work);

const backendGroup = z.strictObject({
  count,
  /** Of each core; 2 does the same work in half the time. */
  speed: factor.default(1),
  /** Cores reserved for each of these backends. */
  cores: factor.default(1),
  /** Waits take so many times as long here: a slow disk, a distant database. */
  waitFactor: factor.default(1),
  /** Where they are: a zone, a datacenter. */
  locality: name.default('here'),
  /** Others on the same machines. */
  neighbours: neighboursSchema.optional(),
  /** The part of all requests that fails here, at once and at no cost: a sinkhole. */
  failsFastShare: share.default(0),
});

/** The server guard in front of each backend. */
const guard = z.strictObject({
  /** Requests that run at once: a number, or learned. */
  concurrency: z.union([z.literal('adaptive'), count]).default('adaptive'),
  /** What says how full a backend is: how long requests wait for their turn, how busy the reserved cores are. */
  signals: z
    .array(z.enum(['queue', 'cpu']))
    .min(1)
    .max(2)
    .default(['queue']),
  /** Mean wait that is held while there is too much. */
  queueTargetMs: positiveMs.default(20),
  /** CPU time that a refusal costs. */
  refusalCostMs: z.number().min(0).max(1_000).default(0.02),
  /** False: every refusal says "task overloaded", however many retries arrive; never "don't retry". */
  advises: z.boolean().default(true),
  /** Degraded answers cost this part of a full one; left out: there are none. */
  degradedCost: share.optional(),
});

const call = z.strictObject({
  service: name,
  /** Which kind of request it is there; left out: the first. */
  kind: name.optional(),
  /** How many calls a request makes, one after the other. */
  times: z.int().min(1).max(100).default(1),
  ...callFields,
});

export const serviceSchema = z.strictObject({
  /** How many, or groups of different ones. */
  backends: z.union([count, z.array(backendGroup).min(1).max(1_000)]),
  ...work,
  /** Several kinds of requests, each with its own cost, instead of the one above. */
  kinds: z
    .record(name, kind)
    .refine((kinds) => Object.keys(kinds).length > 0, 'a service has at least one kind of requests')
    .optional(),
  /** Calls that every request makes in the middle of its work. */
  calls: z.array(call).max(20).default([]),
  /** False = none: everything that comes is worked on at once. */
  guard: z.union([z.literal(false), guard]).prefault({}),
  quota: quotaSchema.optional(),
  /** From the start of a process until it is ready. */
  startMs: milliseconds.default(1_000),
  /** A process that has just become ready needs `factor` times the CPU, falling to 1 in `forMs`. */
  warmup: z.strictObject({ forMs: positiveMs, factor: z.number().min(1).max(1_000) }).optional(),
  /** Stops of the whole process, like those of a garbage collector. */
  pauses: pausesSchema.optional(),
  /** After lame duck: how long clients are given to hear of it, and how long requests are given to end. */
  spreadMs: milliseconds.default(3_000),
  drainMs: milliseconds.default(30_000),
});

export type ServiceSpec = z.output<typeof serviceSchema>;
export type BackendGroupSpec = z.output<typeof backendGroup>;
export type KindSpec = z.output<typeof kind>;
export type GuardSpec = z.output<typeof guard>;
export type CallSpec = z.output<typeof call>;
