import * as z from 'zod';
import { durationText, fileText, msOf, together } from './texts.js';

/** How the gateway protects itself. */
export const overloadSchema = z
  .strictObject({
    mode: z.enum(['enforce', 'dry-run', 'off']).default('enforce'),
    timeout: durationText
      // Streams of events have no end; how long backends may think is for services to say.
      .optional()
      .meta({ description: 'No request is given longer than this, its answer included.' }),
    concurrency: z
      .int()
      .min(1)
      .max(1_000_000)
      // A bound for memory, at some 10 KB each: 100 MB. What waits for a backend is no load here, and services have bounds
      // of their own; what is too much for the gateway itself shows in how long requests wait for their turn.
      .default(10_000)
      .meta({ description: 'Requests at once, of all services together.' }),
    // Some 10 KB each: 200 MB.
    maxConnections: z.int().min(1).max(1_000_000).default(20_000),
    // Headers are sent in one go.
    headersTimeout: durationText.default('15s'),
    // Uploads take their time.
    requestTimeout: durationText.default('5min'),
    // Longer than any client keeps one: it is always the client that closes.
    keepAlive: durationText.default('75s'),
  })
  .prefault({})
  .meta({ description: 'What the gateway bears, and what it does beyond.' });

/** Load balancers look every second or two. */
const SPREAD = '3s';

export const drainSchema = z
  .strictObject({
    // Kubernetes kills after 30 s.
    timeout: durationText.default('25s'),
    // `SPREAD`, or as long as there is: whoever says that it has to be quick need not say so twice.
    spread: durationText.optional().meta({ description: 'Served as ever, until all have heard. 3s.' }),
  })
  .superRefine(
    together(({ timeout, spread }, context) => {
      if (spread === undefined || msOf(spread) <= msOf(timeout)) return;
      const message = `must be ${timeout} at most, as long as the whole may take, got ${spread}`;
      context.addIssue({ code: 'custom', path: ['spread'], message });
    }),
  )
  .transform(({ timeout, spread }) => {
    return { timeout, spread: spread ?? (msOf(timeout) < msOf(SPREAD) ? timeout : SPREAD) };
  })
  .prefault({})
  .meta({ description: 'How the gateway ends on SIGTERM.' });

export const queueSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 of A-Z a-z 0-9 _ . -')
      // Not that of `createOverflowQueue`: an application with the same Redis would take requests of ours, and we its own.
      .default('gateway')
      .meta({
        description: 'Gateways of one Redis and name have one queue, and must have the same routes.',
      }),
    // At 100 ms each 100 a second.
    concurrency: z.int().min(1).max(10_000).default(10),
    // 95 s with the waits between them: a restart of the service.
    attempts: z.int().min(1).max(100).default(8),
    // As long as most proxies wait for an answer.
    timeout: durationText.default('30s').meta({ description: 'How long one attempt may take.' }),
    maxQueued: z.int().min(1).max(10_000_000).default(10_000),
    keepResults: durationText.default('1h'),
    statusPath: z
      .string()
      .regex(/^(\/[\w.~-]+)+$/, 'must be a path such as /queued')
      .default('/.plimsoll/queued'),
    secrets: z
      .literal('drop')
      // What is not there cannot leak.
      .default('drop')
      .meta({
        description: 'Headers that look like secrets are not kept: such a request is performed without.',
      }),
  })
  .prefault({})
  .meta({ description: 'Where requests wait whose limit says onLimit: queue.' });

export const logSchema = z
  .strictObject({
    level: z.enum(['error', 'warn', 'info', 'debug', 'off']).default('info'),
    destination: fileText
      // Where containers and service managers look.
      .default('stdout')
      .meta({
        description: 'stdout, stderr, or a file, which is opened anew on SIGHUP and when it was moved.',
      }),
    sample: z
      .number()
      .min(0)
      .max(1)
      // One line each is what people look for first; a busy gateway says less.
      .default(1)
      .meta({ description: 'The share of requests that go well which have a line. All others have one.' }),
    // What is in a query may be a secret, and not only under the names that we know of.
    query: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether lines have the query of a URL, secrets hidden.' }),
    // Without it nobody finds the line of a backend that belongs to one of ours.
    requestId: z.boolean().default(true).meta({
      description: 'Whether backends and clients are told x-request-id, in place of what strangers say.',
    }),
  })
  .prefault({})
  .meta({ description: 'Lines of JSON.' });
