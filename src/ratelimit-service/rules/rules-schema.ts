import * as z from 'zod';
import { duration, named, parseSettings } from '../../config/index.js';
import { ALGORITHM_NAMES } from '../../core/index.js';
import { limitOptionsOf } from './limit-options.js';
import { quoteScalars } from './quote-scalars.js';
import { UNITS, unitNamed } from './units.js';

const MOST_REQUESTS = 2 ** 32 - 1;

/** As YAML 1.1 has it, which Envoy's service reads. */
const yes = named(
  'true or false',
  z
    .union([z.boolean(), z.enum(['yes', 'no', 'on', 'off', 'Yes', 'No', 'On', 'Off', 'True', 'False'])])
    .transform((given) => (typeof given === 'boolean' ? given : /^(yes|on|true)$/i.test(given))),
);

const flag = yes.nullish().transform((given) => given ?? false);
const text = z.string().nullish();

/** Which limit a unit gives; the words are those of Envoy's files. */
const unit = named(
  `one of ${UNITS.map(({ name }) => `"${name}"`).join(', ')}`,
  z.string().refine((given) => unitNamed(given) !== undefined, {
    error: ({ input }) =>
      `must be one of ${UNITS.map(({ name }) => name).join(', ')}, got ${JSON.stringify(input)}`,
  }),
);

/** What we know beyond Envoy's service, under a name of its own: the rest of a file stays what it is there. */
const extension = z.strictObject({
  algorithm: z.enum(ALGORITHM_NAMES).exclude(['leaking-bucket']).optional(),
  window: duration().optional(),
  burst: z.int().min(1).max(MOST_REQUESTS).optional(),
  count_refused: z.boolean().optional(),
  on_store_failure: z.enum(['allow', 'refuse', 'error']).optional(),
  local_share: z.number().gt(0).max(1).optional(),
});

export type LimitExtension = z.output<typeof extension>;

const rateLimit = z
  .strictObject({
    unit: unit.nullish(),
    requests_per_unit: z.int().min(0).max(MOST_REQUESTS).nullish(),
    unlimited: flag,
    name: text,
    replaces: z.array(z.strictObject({ name: z.string().min(1) })).nullish(),
    plimsoll: extension.optional(),
  })
  .superRefine((given, context) => {
    const wrong = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message, input: given });
    if (given.unlimited) {
      if (given.unit != null) wrong('unit', 'must be left out of what is unlimited');
      return;
    }
    if (given.unit == null)
      wrong('unit', `is missing, must be one of ${UNITS.map(({ name }) => name).join(', ')}`);
    if (given.requests_per_unit == null)
      wrong('requests_per_unit', 'is missing, must be a whole number >= 0');
    const own = given.replaces?.findIndex(({ name }) => name === given.name) ?? -1;
    if (own >= 0) wrong('replaces', `must not name the limit itself, got ${JSON.stringify(given.name)}`);
    if (given.unit == null || given.requests_per_unit == null) return;
    try {
      limitOptionsOf(given.requests_per_unit, unitNamed(given.unit)!, given.plimsoll);
    } catch (error) {
      wrong('plimsoll', (error as Error).message);
    }
  });

export type RateLimitSettings = z.output<typeof rateLimit>;

/** What stands under `descriptors`: a key, and what it limits or leads to. */
export interface DescriptorSettings {
  /** What an entry of a call is called. */
  readonly key: string;
  /** What it says; left out: whatever it says. A star at its end stands for the rest. */
  readonly value?: string | null | undefined;
  /** How much passes; left out: as much as comes. */
  readonly rate_limit?: RateLimitSettings | null | undefined;
  /** Counts, and refuses nobody. */
  readonly shadow_mode: boolean;
  /** Counts, and refuses nobody; the status of the descriptor says that it is over its limit. */
  readonly quota_mode: boolean;
  /** Statistics name all values, also those that the file does not. */
  readonly detailed_metric: boolean;
  /** Statistics name the value of this key. */
  readonly value_to_metric: boolean;
  /** All values of a wildcard count together. */
  readonly share_threshold: boolean;
  /** Sent as dynamic metadata while the rule has something left. */
  readonly metadata?: Readonly<Record<string, z.core.util.JSONType>> | null | undefined;
  /** Rules for what comes after it in a call. */
  readonly descriptors?: readonly DescriptorSettings[] | null | undefined;
}

const descriptor: z.ZodType<DescriptorSettings> = z.lazy(() =>
  z
    .strictObject({
      key: z.string().min(1),
      value: text,
      rate_limit: rateLimit.nullish(),
      shadow_mode: flag,
      quota_mode: flag,
      detailed_metric: flag,
      value_to_metric: flag,
      share_threshold: flag,
      metadata: z.record(z.string(), z.json()).nullish(),
      descriptors,
    })
    .superRefine((given, context) => {
      if (!given.share_threshold || given.value?.endsWith('*')) return;
      const message = 'is for values that end with *';
      context.addIssue({ code: 'custom', path: ['share_threshold'], message, input: given });
    }),
);

const descriptors = z
  .array(z.lazy(() => descriptor))
  .nullish()
  .superRefine((given, context) => {
    const seen = new Set<string>();
    for (const [i, { key, value }] of (given ?? []).entries()) {
      const id = JSON.stringify([key, value ?? '']);
      const message = `is here for the second time in this list: leave one of them out`;
      if (seen.has(id)) context.addIssue({ code: 'custom', path: [i, 'key'], message, input: key });
      seen.add(id);
    }
  });

const rulesSchema = z.strictObject({ domain: z.string().min(1), descriptors });

/** A file of rules, as Envoy's service has it. */
export interface RulesSettings {
  /** Whose rules these are: calls name it. */
  readonly domain: string;
  /** Rules, by the first entry of a call. */
  readonly descriptors?: readonly DescriptorSettings[] | null | undefined;
}

/** What a file of Envoy's rate limit service says; a SettingsError has everything that is wrong with it. */
export function parseRules(given: string, name: string): RulesSettings {
  return parseSettings<RulesSettings>(quoteScalars(given), rulesSchema, name);
}

/** For editors, which complete and check by it. */
export function rulesJsonSchema(): object {
  const schema = z.toJSONSchema(rulesSchema, { io: 'input', unrepresentable: 'any' });
  return { title: "Rules of Envoy's rate limit service, with what Plimsoll adds", ...schema };
}

export const RULES_KEYS = Object.keys(rulesSchema.shape);
