import * as z from 'zod';
import { nearestWord } from '../config/index.js';

/** A kind of file that people write for Plimsoll. */
export interface FileKind {
  /** What `--kind` calls it. */
  readonly name: string;
  /** What people call it. */
  readonly words: string;
  /** The keys at its top. */
  readonly keys: readonly string[];
  /** What a file of this kind says, in a few words; a SettingsError says what is wrong with it. */
  check(text: string, path: string): string;
  /** A JSON Schema, for editors. */
  schema(): object;
}

/** The kind that a file with these keys is; undefined when it looks like none, or like several. */
export function guessKind(keys: readonly string[], kinds: readonly FileKind[]): FileKind | undefined {
  const scores = kinds
    .map((kind) => ({ kind, score: scoreOf(kind, keys) }))
    .toSorted((a, b) => b.score - a.score);
  const [first, second] = scores;
  return first === undefined || first.score === 0 || first.score === second?.score ? undefined : first.kind;
}

/** A key that is misspelt counts too, but less: what is wrong with it is for the kind to say. */
function scoreOf({ keys }: FileKind, given: readonly string[]): number {
  const isNear = (key: string) => nearestWord(key, keys) !== undefined;
  return given.reduce((sum, key) => sum + (keys.includes(key) ? 2 : isNear(key) ? 1 : 0), 0);
}

/** Which fields a schema knows at its top. */
export function keysOf(schema: z.ZodObject): string[] {
  return Object.keys(schema.shape);
}

export function jsonSchema(title: string, schema: z.ZodType): object {
  return { title, ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) };
}
