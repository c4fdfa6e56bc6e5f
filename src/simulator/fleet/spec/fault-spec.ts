import * as z from 'zod';
import { count, factor, milliseconds, name, positiveMs } from './numbers.js';

/** An instant, or one drawn between two. */
const instant = z.union([
  milliseconds,
  z
    .strictObject({ from: milliseconds, to: milliseconds })
    .refine(({ from, to }) => to >= from, 'to must be >= from'),
]);

/** Whom it meets: so many at random, these by number, or all of a locality. */
const backends = z.union([
  count,
  z.array(z.int().min(0).max(100_000)).min(1).max(100_000),
  z.strictObject({ locality: name }),
]);

const fault = { service: name, backends, atMs: instant };

/** Of a service that has a quota: whoever is the coordinator, wherever it runs. */
const quotaFault = { service: name, atMs: instant, forMs: positiveMs };

export const faultSchema = z.discriminatedUnion('kind', [
  /** The process dies with all it was doing, and is started again after `forMs`. */
  z.strictObject({ kind: z.literal('kill'), ...fault, forMs: milliseconds }),
  /** Lame duck, drain, exit, start: `batch` of them at a time, the next when the last are ready. */
  z.strictObject({ kind: z.literal('restart'), ...fault, batch: count.default(1) }),
  /** Everything takes `factor` times the CPU. */
  z.strictObject({ kind: z.literal('slow'), ...fault, forMs: positiveMs, factor }),
  /** Nothing gets through in either direction, and nobody is told. */
  z.strictObject({ kind: z.literal('partition'), ...fault, forMs: positiveMs }),
  /** It asks to be sent nothing more, then is ready again. */
  z.strictObject({ kind: z.literal('lame-duck'), ...fault, forMs: positiveMs }),
  /** The clock of the process jumps ahead and runs `rate` times as fast. */
  z.strictObject({
    kind: z.literal('clock'),
    ...fault,
    forMs: positiveMs,
    rate: z.number().min(0.5).max(2).default(1),
    jumpMs: milliseconds.default(0),
  }),
  /** Nobody coordinates the quota, until another one begins and learns. */
  z.strictObject({ kind: z.literal('coordinator-gone'), ...quotaFault }),
  /** What reports and levels go through (Redis) cannot be reached, and is empty when it is back. */
  z.strictObject({ kind: z.literal('exchange-gone'), ...quotaFault }),
]);

export type FaultSpec = z.output<typeof faultSchema>;
export type FaultKind = FaultSpec['kind'];
/** What strikes backends. */
export type BackendFaultSpec = Extract<FaultSpec, { backends: unknown }>;
