import * as z from 'zod';

type Issue = z.core.$ZodIssue;

/** Beyond it nothing is meant: 10^12 ms are thirty years. */
const LARGEST = 1e12;

/** Below it a value is meant to be 0: a picosecond, where a millisecond is the unit. */
const SMALLEST = 1e-9;

export const nonNegativeSchema = z.number().min(0).max(LARGEST);

export const positiveSchema = z.number().min(SMALLEST).max(LARGEST);

export const shareSchema = z.number().min(0).max(1);

/** What a specification says, or a RangeError with everything that is wrong with it. */
export function checkSpec<T>(field: string, schema: z.ZodType<T>, given: unknown): T {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new RangeError(describe(parsed.error.issues, [field]));
}

/**
 * For a union: what is wrong by the alternative that was meant. All alternatives' complaints at once would say of
 * `{ normal: { mean: 1 } }` that it is not a number either.
 */
export function closestComplaint(errors: readonly (readonly Issue[])[], otherwise: string): string {
  const ofThatType = errors.filter(
    (issues) => !issues.some((issue) => isOfAll(issue) && issue.code === 'invalid_type'),
  );
  const meant = ofThatType.length === 1 ? ofThatType : ofThatType.filter((issues) => !issues.some(isOfAll));
  return meant.length === 1 ? describe(meant[0]!, []) : otherwise;
}

/** Not of a part of what was given. */
function isOfAll({ path }: Issue): boolean {
  return path.length === 0;
}

function describe(issues: readonly Issue[], within: readonly string[]): string {
  return issues
    .map(({ path, message }) =>
      [[...within, ...path].join('.'), message].filter((part) => part !== '').join(': '),
    )
    .join('; ');
}
