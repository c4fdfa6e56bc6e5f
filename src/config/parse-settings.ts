import { type Document, LineCounter, parseDocument } from 'yaml';
import type * as z from 'zod';
import { Substitutions, type Variables } from './environment.js';
import { noteFilledIn } from './filled-in.js';
import { type LateProblem, noteSource } from './late-problems.js';
import { SettingsError, type SettingsProblem } from './settings-error.js';
import { deeperThan } from './validation/nesting.js';
import { pathText } from './validation/path-text.js';
import { hideSecrets } from './validation/secret-places.js';
import { type Problem, validate } from './validation/validate.js';
import { type Fault, yamlFaults } from './validation/yaml-faults.js';
import { Places } from './validation/yaml-places.js';

/** What a file may say; a function of what it does say, where one part of it decides what others may be. */
export type SettingsSchema<T> = z.ZodType<T> | ((given: unknown) => z.ZodType<T>);

export interface ParseOptions {
  /** Where `${NAME}` and `${NAME:-otherwise}` come from. Undefined: they are text like any other. */
  readonly environment?: Variables | undefined;
}

/** How often anchors may be used: nine lists of nine aliases each would be 9⁹ entries. */
const MOST_ALIASES = 100;

/** A fleet or a gateway needs about ten. */
const MOST_LEVELS = 100;

/** Mappings with text as keys, lists, text, numbers, true, false and null: what JSON has, and nothing that makes more. */
const DIALECT = {
  prettyErrors: false,
  resolveKnownTags: false,
  stringKeys: true,
  // We look at that ourselves.
  uniqueKeys: false,
} as const;

/**
 * What a text says, checked; a SettingsError with everything that is wrong, each with its line and column. `name` is what
 * the text is called there. JSON is YAML too.
 */
export function parseSettings<T>(
  text: string,
  schema: SettingsSchema<T>,
  name: string,
  options: ParseOptions = {},
): T {
  const fail: Fail = (faults) => {
    throw new SettingsError(name, toProblems(faults, text));
  };
  const document = documentOf(text, fail);
  const places = new Places(document);
  const substitutions = new Substitutions(document, places, options.environment);
  if (substitutions.faults.length > 0) fail(substitutions.faults);
  const schemaFor = (value: unknown) => (typeof schema === 'function' ? schema(value) : schema);
  const check = () => {
    const value = toValue(document, fail);
    return validate(schemaFor(value), value);
  };
  const validated = substitutions.retry(check(), check);
  if ('value' in validated) {
    noteFilledIn(validated.value, substitutions.filledIn);
    noteSource(validated.value, { file: name, locate: (problems) => locate(problems, text) });
    return validated.value;
  }
  const used = schemaFor(toValue(document, fail));
  return fail(
    validated.problems.map((problem) => {
      const said = { path: problem.path, text: substitutions.conceal(problem) };
      const { path, text } = hideSecrets(said, used);
      return { offset: offsetOf(places, problem), path: pathText(path), text };
    }),
  );
}

/** The keys at the top of a text, as far as it can be read: enough to guess what it is meant to be. */
export function topKeys(text: string): string[] {
  if (deeperThan(text, MOST_LEVELS) !== undefined) return [];
  const document = parseDocument(text, DIALECT);
  const { items = [] } = (document.contents ?? {}) as { items?: { key?: { value?: unknown } | null }[] };
  return items.flatMap(({ key }) => (typeof key?.value === 'string' ? [key.value] : []));
}

interface PlacedFault extends Fault {
  readonly path?: string;
}

type Fail = (faults: readonly PlacedFault[]) => never;

function documentOf(text: string, fail: Fail): Document.Parsed {
  const deep = deeperThan(text, MOST_LEVELS);
  if (deep !== undefined) fail([{ offset: deep, text: 'is nested too deeply' }]);
  const document = parseDocument(text, DIALECT);
  const faults = yamlFaults(document, text);
  return faults.length > 0 ? fail(faults) : document;
}

/** Parsed anew: the tree of a large file is larger by far than its text, and is needed only when something is wrong. */
function locate(problems: readonly LateProblem[], text: string): SettingsProblem[] {
  const places = new Places(parseDocument(text, DIALECT));
  const faults = problems.map(({ path, text }) => {
    return { offset: places.of(path).value, path: pathText(path), text };
  });
  return toProblems(faults, text);
}

/** From top to bottom. */
function toProblems(faults: readonly PlacedFault[], text: string): SettingsProblem[] {
  const lines = linesOf(text);
  return faults.toSorted((a, b) => a.offset - b.offset).map((fault) => toProblem(fault, lines));
}

function linesOf(text: string): LineCounter {
  const lines = new LineCounter();
  for (let at = 0; at >= 0; at = text.indexOf('\n', at) + 1 || -1) lines.addNewLine(at);
  return lines;
}

function toProblem({ offset, text, path = '' }: PlacedFault, lines: LineCounter): SettingsProblem {
  const { line, col } = lines.linePos(offset);
  return { line, column: col, path, text };
}

function toValue(document: Document.Parsed, fail: Fail): unknown {
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch {
    return fail([{ offset: 0, text: `anchors are used more than ${MOST_ALIASES} times: write it out` }]);
  }
}

function offsetOf(places: Places, { path, at = path, isAtKey }: Problem): number {
  const place = places.of(at);
  return isAtKey ? place.key : place.value;
}
