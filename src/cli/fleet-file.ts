import { closeSync, openSync, readSync } from 'node:fs';
import { type Document, LineCounter, parseDocument } from 'yaml';
import type * as z from 'zod';
import { UsageError } from './usage-error.js';
import { isNestedDeeper } from './validation/nesting.js';
import { type Problem, validate } from './validation/validate.js';
import { placeOf } from './validation/yaml-places.js';

/** A fleet of a thousand services is some hundred kilobytes. */
export const MOST_BYTES = 1_000_000;

/** How often anchors may be used: nine lists of nine aliases each would be 9⁹ entries. */
const MOST_ALIASES = 100;

/** A fleet needs about ten. */
const MOST_LEVELS = 100;

/** A file that is wrong all over is not a list to be worked off. */
const MOST_PROBLEMS = 50;

/** Mappings with text as keys, lists, text, numbers, true, false and null: what JSON has, and nothing that makes more. */
const DIALECT = { prettyErrors: false, resolveKnownTags: false, stringKeys: true } as const;

/** What the file says, checked; a UsageError with everything that is wrong, each with its line and column. */
export function readFleetFile<T>(path: string, schema: z.ZodType<T>): T {
  return parseFleet(readText(path), schema, path);
}

/** The same for a text; `name` is what it is called in messages. JSON is YAML too. */
export function parseFleet<T>(text: string, schema: z.ZodType<T>, name: string): T {
  if (isNestedDeeper(text, MOST_LEVELS)) throw new UsageError(`${name} is nested too deeply`);
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, ...DIALECT });
  // An unknown tag is only a warning to the parser.
  const faults = [...document.errors, ...document.warnings].map(({ pos, message }) => ({
    offset: pos[0],
    text: message,
  }));
  if (faults.length > 0) throw new UsageError(describeFaults(faults, lineCounter, name));
  const validated = validate(schema, toValue(document, name));
  if ('value' in validated) return validated.value;
  const problems = validated.problems.map((problem) => ({
    offset: offsetOf(document, problem),
    text: [pathText(problem.path), problem.text].filter((part) => part !== '').join(': '),
  }));
  throw new UsageError(describeFaults(problems, lineCounter, name));
}

interface Fault {
  readonly offset: number;
  readonly text: string;
}

function describeFaults(faults: readonly Fault[], lineCounter: LineCounter, name: string): string {
  const lines = faults
    .toSorted((a, b) => a.offset - b.offset)
    .slice(0, MOST_PROBLEMS)
    .map(({ offset, text }) => {
      const { line, col } = lineCounter.linePos(offset);
      return `${name}:${line}:${col}: ${text}`;
    });
  const rest = faults.length - lines.length;
  return [...lines, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n');
}

function toValue(document: Document, name: string): unknown {
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (error) {
    // Anchors that are used too often, or are not there.
    throw new UsageError(`${name}: ${(error as Error).message}`);
  }
}

function offsetOf(document: Document, { path, at = path, isAtKey }: Problem): number {
  const place = placeOf(document, at);
  return isAtKey ? place.key : place.value;
}

/** `services.web.backends[2].count`; what is no plain word is quoted. */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((step, at) => {
      if (typeof step === 'number') return `[${step}]`;
      const key = String(step);
      if (!/^[\w-]+$/.test(key)) return `[${JSON.stringify(key)}]`;
      return at === 0 ? key : `.${key}`;
    })
    .join('');
}

function readText(path: string): string {
  const bytes = readAtMost(path, MOST_BYTES + 1);
  if (bytes.length > MOST_BYTES) throw new UsageError(`${path} is larger than ${MOST_BYTES / 1e6} MB`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${path} is no text in UTF-8`);
  }
}

/** What is no ordinary file may never end. */
function readAtMost(path: string, most: number): Uint8Array {
  const bytes = new Uint8Array(most);
  let length = 0;
  try {
    const file = openSync(path, 'r');
    try {
      for (let read = -1; read !== 0 && length < most; length += read) {
        read = readSync(file, bytes, length, most - length, null);
      }
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
  return bytes.subarray(0, length);
}
