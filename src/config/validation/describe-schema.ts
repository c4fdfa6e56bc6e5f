import * as z from 'zod';

type Schema = z.core.$ZodType;

/** Schemas that are called something of their own: not `text`, but `a rate like "300/3h"`. */
const NAMES = z.registry<{ words: string }>();

/** The schema, with words for it that follow "must be". */
export function named<T extends Schema>(words: string, schema: T): T {
  NAMES.add(schema, { words });
  return schema;
}

/** What a schema allows, in words that follow "must be": `a number >= 0`. */
export function describeSchema(schema: Schema): string {
  const name = NAMES.get(schema)?.words;
  if (name !== undefined) return name;
  // Definitions of schemas are public, but each kind has its own type; which one it is, `type` says.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'number':
      return describeNumber(limitsOf(schema));
    case 'string':
      return withSize('text', limitsOf(schema), 'character', 'characters');
    case 'array':
      return withSize('a list', limitsOf(schema), 'entry', 'entries');
    case 'tuple':
      return `a list of ${def.items.length} entries`;
    case 'object':
    case 'record':
      return 'a mapping';
    case 'boolean':
      return 'true or false';
    case 'null':
      return 'nothing';
    case 'enum':
      return describeValues(Object.values(def.entries));
    case 'literal':
      return describeValues(def.values);
    case 'union':
      return [...new Set(def.options.map(describeSchema))].join(' or ');
    case 'optional':
    case 'nonoptional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'readonly':
    case 'catch':
      return describeSchema(def.innerType);
    case 'pipe':
      return describeSchema(def.in);
    case 'lazy':
      return describeSchema(def.getter());
    default:
      return `a ${def.type}`;
  }
}

/** `"a"`, `one of "a", "b"`. */
export function describeValues(values: readonly unknown[]): string {
  const all = values.map((value) => (typeof value === 'string' ? JSON.stringify(value) : String(value)));
  return all.length === 1 ? all[0]! : `one of ${all.join(', ')}`;
}

/** What was given instead. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return 'a mapping';
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
}

interface Limits {
  isWhole: boolean;
  /** With its sign, `>= 0`; undefined when there is none. */
  least?: { value: number; isInclusive: boolean };
  most?: { value: number; isInclusive: boolean };
}

/** A schema is its own first check where it is a format, like `z.int()`. */
function limitsOf(schema: Schema): Limits {
  const limits: Limits = { isWhole: false };
  const checks = [schema, ...(schema._zod.def.checks ?? [])] as z.core.$ZodChecks[];
  for (const { _zod } of checks) {
    const { def } = _zod;
    switch (def.check) {
      case 'number_format':
        limits.isWhole = def.format.includes('int');
        break;
      case 'greater_than':
        limits.least = { value: Number(def.value), isInclusive: def.inclusive };
        break;
      case 'less_than':
        limits.most = { value: Number(def.value), isInclusive: def.inclusive };
        break;
      case 'min_length':
        limits.least = { value: def.minimum, isInclusive: true };
        break;
      case 'max_length':
        limits.most = { value: def.maximum, isInclusive: true };
        break;
      case 'length_equals':
        limits.least = limits.most = { value: def.length, isInclusive: true };
        break;
    }
  }
  return limits;
}

function describeNumber({ isWhole, least, most }: Limits): string {
  const what = isWhole ? 'a whole number' : 'a number';
  if (least?.isInclusive && most?.isInclusive) return `${what} from ${least.value} to ${most.value}`;
  const bounds = [
    ...(least === undefined ? [] : [`${least.isInclusive ? '>=' : '>'} ${least.value}`]),
    ...(most === undefined ? [] : [`${most.isInclusive ? '<=' : '<'} ${most.value}`]),
  ];
  return [what, bounds.join(' and ')].join(' ').trimEnd();
}

function withSize(what: string, { least, most }: Limits, one: string, many: string): string {
  const counted = (count: number) => `${count} ${count === 1 ? one : many}`;
  if (least !== undefined && least.value === most?.value) return `${what} of ${counted(least.value)}`;
  if (least !== undefined && most !== undefined) return `${what} of ${least.value} to ${counted(most.value)}`;
  if (most !== undefined) return `${what} of at most ${counted(most.value)}`;
  return least === undefined ? what : `${what} of at least ${counted(least.value)}`;
}
