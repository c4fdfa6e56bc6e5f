import * as z from 'zod';
import { describeValue, named, nearestWord, written } from '../config/index.js';
import { parseRate, type QuotaLimit } from '../core/index.js';
import { CUSTOMER_WORDS, encodeCustomer } from '../wire/index.js';

/** What Redis, logs and metrics take as it is; as the options of a quota have it. */
const NAME = /^\w[\w.:@-]{0,127}$/;

/** A key before an amount, beside `upTo`. */
const UNIT = /^(?!upTo$)[A-Za-z][\w.:@-]{0,127}$/;

/** More critical first: each of these may not have more than the one before. */
const STEPS = ['CRITICAL', 'SHEDDABLE_PLUS', 'SHEDDABLE'] as const;

const A_RATE = '\\s*\\d+\\s*(/|[Pp][Ee][Rr]\\b)\\s*\\d*\\s*[A-Za-z]+\\s*';

/** The fields of a file. */
export const QUOTA_FILE_KEYS = ['service', 'unit', 'customers', 'everyoneElse', 'enforce'] as const;

function parsePerSecond(text: string): number {
  const { limit, windowMs } = parseRate(text);
  return (limit * 1_000) / windowMs;
}

const STEP_WORDS = 'a number a second, or a rate like "300/min"';
const AMOUNT_WORDS = 'a number a second, a rate like "300/min", or unlimited';

const step = named(
  STEP_WORDS,
  z.union([z.number().min(0), written(STEP_WORDS, `^${A_RATE}$`, parsePerSecond)]),
);

const amount = named(
  AMOUNT_WORDS,
  z.union([
    z.number().min(0),
    written(AMOUNT_WORDS, `^(unlimited|${A_RATE})$`, (text) =>
      text === 'unlimited' ? Number.POSITIVE_INFINITY : parsePerSecond(text),
    ),
  ]),
);

const upTo = z
  .strictObject({
    CRITICAL: step.optional(),
    SHEDDABLE_PLUS: step.optional(),
    SHEDDABLE: step.optional(),
    CRITICAL_PLUS: z.never('all together have what the limit itself says: leave it out').optional(),
  })
  .meta({ description: 'What a criticality may use together with all lower ones.' });

type Steps = Partial<Record<(typeof STEPS)[number], number>>;

/** The limit of a customer, in a file with this unit. */
function limitSchema(unit: string): z.ZodType<QuotaLimit> {
  const error = ({ code, keys = [] }: { code?: string; keys?: readonly string[] }) => {
    const isTypo = keys.some((key) => nearestWord(key, [unit, 'upTo']) !== undefined);
    if (code !== 'unrecognized_keys' || isTypo) return undefined;
    const other = keys.length === 1 ? `, or unit: ${keys[0]} at the top of the file` : '';
    return `is not the unit of this file: write ${unit}${other}`;
  };
  const mapping = z.strictObject(
    { [unit]: amount, upTo: upTo.optional() },
    { error: error as () => undefined },
  );
  return named(`a mapping like { ${unit}: 500 }`, mapping)
    .transform(
      ({ [unit]: perSecond, upTo: steps }) => ({ perSecond, ...(steps && { upTo: steps }) }) as QuotaLimit,
    )
    .superRefine((limit, context) => checkSteps(unit, limit, context));
}

function checkSteps(
  unit: string,
  { perSecond, upTo: steps = {} }: QuotaLimit,
  context: z.RefinementCtx,
): void {
  let above = { name: unit, value: perSecond };
  for (const criticality of STEPS) {
    const value = (steps as Steps)[criticality];
    if (value === undefined) continue;
    if (value > above.value) {
      const message = `must be at most ${above.value} a second, as ${above.name} is, got ${value}`;
      context.addIssue({ code: 'custom', path: ['upTo', criticality], message });
    }
    above = { name: criticality, value };
  }
}

/** Of any unit: for editors, which cannot know that one field says what another is called. */
const anyLimit = z.object({ upTo: upTo.optional() }).catchall(amount);

const name = (words: string, pattern: RegExp) =>
  named(
    words,
    z.string().regex(pattern, { error: ({ input }) => `must be ${words}, got ${describeValue(input)}` }),
  );

const customer = z
  .string()
  .meta({ minLength: 1, maxLength: 128 })
  .refine((each) => encodeCustomer(each) !== undefined, `must have ${CUSTOMER_WORDS}`);

/** What a file with this unit may say. */
export function quotaFileSchema(unit: string) {
  const limit = limitSchema(unit);
  return fileSchema(z.record(customer, limit), limit);
}

/** What a file may say, as far as a JSON Schema can. */
export const anyQuotaFileSchema = fileSchema(z.record(customer, anyLimit), anyLimit);

export function isUnit(given: unknown): given is string {
  return typeof given === 'string' && UNIT.test(given);
}

function fileSchema<L extends z.ZodType, C extends z.ZodType<Record<string, z.output<L>>>>(
  customers: C,
  limit: L,
) {
  return z.strictObject({
    service: name('a name of letters, digits and ._:@-', NAME)
      .optional()
      .meta({ description: 'Whose backends share these limits.' }),
    unit: name('a word other than upTo, like cpu or tokens', UNIT)
      .default('cpu')
      .meta({ description: 'What is counted. cpu: CPU-seconds a second, which the guard measures.' }),
    customers: customers.optional().meta({ description: 'Limits by customer.' }),
    everyoneElse: limit.meta({
      description: 'For each customer that is not named, not for all of them together.',
    }),
    enforce: z
      .enum(['always', 'when-overloaded'])
      .default('always')
      .meta({ description: 'when-overloaded: only while a backend has too much to do.' }),
  } satisfies Record<(typeof QUOTA_FILE_KEYS)[number], z.ZodType>);
}
