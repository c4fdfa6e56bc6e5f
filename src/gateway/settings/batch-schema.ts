import * as z from 'zod';
import { BatchProxy } from '../batch/index.js';
import { batchOptionsOf } from '../batch-options.js';
import { addProblem, durationText, matching, together } from './texts.js';

/** For batch jobs: they wait for their turn, so that interactive requests need not. */
export const batchSchema = z
  .union([
    z.literal(false),
    z
      .strictObject({
        job: matching(
          'customer, address or header:<name>',
          /^(?:customer|address|header:[\w!#$%&'*+.^`|~-]{1,128})$/,
        )
          // Names that somebody has checked: a job that could give itself ten names would have ten shares.
          .default('customer')
          .meta({ description: 'By what requests belong to one job: jobs have equal shares.' }),
        // More than a gateway's process can send on.
        mostPerSecond: z.number().min(1).max(1_000_000).default(10_000),
        // "A few connections": at 50 ms each they carry 1,280 a second.
        maxUnderWay: z.int().min(1).max(10_000).default(64),
        // Interactive requests that come in bunches find a fifth of the service free.
        targetUtilization: z.number().min(0.05).max(1).default(0.8),
        // As many as connections: one waits on each.
        maxWaiting: z.int().min(1).max(1_000_000).default(20_000),
        // Jobs are patient, and their clients give up after five minutes.
        maxWait: durationText.default('5min'),
      })
      .superRefine(
        together((batch, context) => {
          addProblem(context, () => new BatchProxy(() => {}, batchOptionsOf(batch)));
        }),
      ),
  ])
  .default(false)
  .meta({
    description: 'Requests wait in a fair queue between jobs, at a pace that yields to others. {} is enough.',
  });

export type BatchSettings = Exclude<z.output<typeof batchSchema>, false>;
