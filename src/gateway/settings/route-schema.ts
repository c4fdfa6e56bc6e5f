import { METHODS } from 'node:http';
import * as z from 'zod';
import { written } from '../../config/index.js';
import { criticalityRank } from '../../core/index.js';
import { HeaderEdits } from '../forwarding/index.js';
import { PathTemplate } from '../routing/path-template.js';
import { Rewrite } from '../routing/rewrite.js';
import { batchSchema } from './batch-schema.js';
import { criticality } from './identity-schema.js';
import { routeLimitsSchema } from './limit-schema.js';
import { addProblem, durationText, headerText, matching, sizeText, together } from './texts.js';

const host = matching(
  'a host like "api.example.com" or "*.example.com", without a port',
  /^(?:\*\.)?[A-Za-z0-9_](?:[\w-]{0,62})(?:\.[A-Za-z0-9_][\w-]{0,62}){0,16}$|^\[[\da-fA-F:.]{2,45}\]$/,
);

/** Those that Node reads, whose list grows with its versions: a request with any other is none for it. */
const METHOD = 'a method like GET; CONNECT and TRACE are never passed on';

const method = written(METHOD, '^(?!(?:CONNECT|TRACE)$)[A-Z][A-Z-]{0,19}$', (text) => {
  if (!METHODS.includes(text) || text === 'CONNECT' || text === 'TRACE') throw new RangeError(METHOD);
  return text;
});

const path = z
  .string()
  .max(1_024)
  .superRefine((text, context) => {
    addProblem(context, () => new PathTemplate(text));
  });

const edits = z
  .strictObject({
    set: z.record(headerText, z.string().max(4_096)).default({}),
    remove: z.array(headerText).max(64).default([]),
  })
  .superRefine(
    together((given, context) => {
      addProblem(context, () => new HeaderEdits('it', given));
    }),
  );

const criticalityRule = z
  .union([
    criticality,
    z.strictObject({
      // SRE ch. 21, "Criticality": what production sends unless somebody has thought about it.
      default: criticality.default('CRITICAL'),
      max: criticality.default('CRITICAL_PLUS'),
    }),
  ])
  .meta({
    description:
      'Assigned to all requests; or what is assigned by default, and what trusted callers may say.',
  });

const stale = z.union([
  z.boolean(),
  z.strictObject({
    maxStale: durationText.default('60s'),
    maxBody: sizeText.default('128KiB'),
  }),
]);

export const routeSchema = z
  .strictObject({
    name: matching('a name of 1 to 200 visible characters without spaces', /^[\x21-\x7e]{1,200}$/).optional(),
    host: z.union([host, z.array(host).min(1).max(100)]).optional(),
    // All of them.
    path: path.default('/*'),
    methods: z.array(method).min(1).max(20).optional(),
    headers: z
      .record(headerText, z.union([z.string().max(1_024), z.boolean()]))
      .optional()
      .meta({ description: 'What a header must say; true: that it is there; false: that it is not.' }),
    to: z
      .string()
      .min(1)
      .max(300)
      .meta({ description: 'The name of a service, or a backend like http://127.0.0.1:3000.' }),
    rewrite: path
      .optional()
      .meta({ description: 'The path that backends are asked for: /v2/people/:id, /*.' }),
    timeout: durationText.optional().meta({ description: 'Until the answer is complete.' }),
    maxBody: sizeText
      // Forms, JSON and photographs; a route for films says more.
      .default('10MB'),
    criticality: criticalityRule.prefault({}),
    identity: z.enum(['optional', 'required']).default('optional'),
    limits: routeLimitsSchema,
    quota: z.boolean().default(true).meta({ description: 'Whether quotas of customers hold here.' }),
    stale: stale.default(false).meta({ description: 'Answer from a stale copy under overload.' }),
    batch: batchSchema,
    requestHeaders: edits.optional(),
    answerHeaders: edits.optional(),
  })
  .superRefine(
    together((route, context) => {
      const { rewrite, criticality: rule } = route;
      if (rewrite !== undefined)
        addProblem(context, () => new Rewrite(rewrite, new PathTemplate(route.path)), ['rewrite']);
      if (typeof rule === 'object' && criticalityRank(rule.default) > criticalityRank(rule.max)) {
        const message = `must be ${rule.default} at least, as the default is, got ${rule.max}`;
        context.addIssue({ code: 'custom', path: ['criticality', 'max'], message });
      }
    }),
  );

export type RouteSettings = z.output<typeof routeSchema>;
