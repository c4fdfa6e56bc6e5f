import type * as z from 'zod';
import { describeSchema, describeValue, describeValues } from './describe-schema.js';
import { nearestWord } from './nearest-word.js';

type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue;
type Path = readonly PropertyKey[];

/** Something that is wrong with a value, and where in it. */
export interface Problem {
  readonly path: Path;
  /** It is the key that is wrong, or the value of it that is missing: the place to look at is the key. */
  readonly isAtKey: boolean;
  /** The place to look at, where it is not `path` itself: what is missing is nowhere. */
  readonly at?: Path;
  readonly text: string;
}

export type Validated<T> = { readonly value: T } | { readonly problems: readonly Problem[] };

/** Everything that is wrong, in plain words; what a schema says in words of its own stays as it is. */
export function validate<T>(schema: z.ZodType<T>, given: unknown): Validated<T> {
  const known = new WeakMap<readonly string[], readonly string[]>();
  const parsed = schema.safeParse(given, {
    error: (issue) => {
      // Only here the schema of an issue is known; its list of keys is the same object later on.
      if (issue.code === 'unrecognized_keys')
        known.set(issue.keys, knownKeys(issue.inst as z.core.$ZodObject));
      return inWords(issue);
    },
    reportInput: true,
  });
  if (parsed.success) return { value: parsed.data };
  return { problems: parsed.error.issues.flatMap((issue) => problemsOf(issue, [], known)) };
}

/** What follows the path: "must be a number >= 0, got "ten"". */
function inWords(issue: RawIssue): string | undefined {
  const got = `got ${describeValue(issue.input)}`;
  switch (issue.code) {
    case 'invalid_type':
    case 'invalid_value':
    case 'too_small':
    case 'too_big':
    case 'invalid_union':
      return expectation(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}, ${got}`;
    case 'invalid_format':
      return `must ${issue.format === 'regex' ? `match ${issue.pattern}` : `be a valid ${issue.format}`}, ${got}`;
    case 'custom':
      return `is not allowed, ${got}`;
    default:
      return undefined;
  }
}

function expectation(issue: RawIssue): string {
  const values = issue['options'] as unknown[] | undefined;
  const expected = values === undefined ? describeSchema(issue.schema!) : describeValues(values);
  return isMissing(issue)
    ? `is missing, must be ${expected}`
    : `must be ${expected}, got ${describeValue(concerned(issue))}`;
}

/** What the issue is about: of a union that looks at one field first, this field. */
function concerned({ input, code, ...rest }: RawIssue | Issue): unknown {
  const { discriminator } = rest as { discriminator?: string };
  if (code !== 'invalid_union' || discriminator === undefined) return input;
  return (input as Record<string, unknown>)[discriminator];
}

function isMissing(issue: RawIssue | Issue): boolean {
  return concerned(issue) === undefined;
}

function problemsOf(
  issue: Issue,
  before: Path,
  known: WeakMap<readonly string[], readonly string[]>,
): Problem[] {
  const path = [...before, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => {
        const others = known.get(issue.keys);
        const text = others === undefined ? issue.message : unknownKey(key, others);
        return { path: [...path, key], isAtKey: true, text };
      });
    case 'invalid_key':
      return issue.issues.map(({ message }) => ({ path, isAtKey: true, text: `the name ${message}` }));
    case 'invalid_union': {
      const meant = meantBranch(issue.errors);
      if (meant !== undefined) return meant.flatMap((inner) => problemsOf(inner, path, known));
      break;
    }
  }
  if (isMissing(issue)) return [{ path, at: path.slice(0, -1), isAtKey: true, text: issue.message }];
  return [{ path, isAtKey: false, text: issue.message }];
}

function unknownKey(key: string, known: readonly string[]): string {
  const nearest = nearestWord(key, known);
  if (nearest !== undefined) return `is not known, did you mean ${nearest}?`;
  return known.length === 0 ? 'is not known' : `is not known, only ${known.join(', ')}`;
}

function knownKeys({ _zod: { def } }: z.core.$ZodObject | z.core.$ZodRecord): string[] {
  return def.type === 'object' ? Object.keys(def.shape) : [...def.keyType._zod.values!].map(String);
}

/** Of several alternatives the one that was meant: the others want another kind of value altogether. */
function meantBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const isOther = (issue: Issue) =>
    issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value');
  const meant = branches.filter((issues) => !issues.some(isOther));
  return meant.toSorted((a, b) => a.length - b.length)[0];
}
