import { parseArgs } from 'node:util';
import * as z from 'zod';
import { describeProblem, parseSettings, readText, SettingsError, topKeys } from '../config/index.js';
import { type FileKind, guessKind } from './file-kinds.js';
import { kindNamed } from './schema.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

function help(kinds: readonly FileKind[]): string {
  const list = kinds.map(({ name, words, keys }) => `${name.padEnd(10)} ${words}: ${keys.join(', ')}`);
  return `plimsoll check <file…> [options]

Says what is wrong with files of YAML or JSON, each problem with its line and column, and what to write instead.

  --kind K    what the files are; otherwise that is found out by their keys
  --json      a list: { file, kind, ok, summary, problems: [{ line, column, path, text }], more }

Kinds of files, and their keys:

  ${list.join('\n  ')}

The exit code is 1 when something is wrong with a file, 2 when the command is.`;
}

/** What was found out about a file. */
interface Finding {
  readonly file: string;
  readonly kind: string | undefined;
  readonly ok: boolean;
  readonly summary?: string;
  readonly problems: SettingsError['problems'];
  /** Problems besides those. */
  readonly more: number;
}

/** Returns the exit code. */
export async function check(args: string[], terminal: Terminal, kinds: readonly FileKind[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      json: { type: 'boolean' },
      kind: { type: 'string' },
    },
  });
  if (values.help) {
    terminal.print(help(kinds));
    return 0;
  }
  const wanted = values.kind === undefined ? undefined : kindNamed(values.kind, kinds);
  if (positionals.length === 0) throw new UsageError(`check needs a file.\n\n${help(kinds)}`);
  const findings: Finding[] = [];
  for (const file of positionals) findings.push(await lookAt(file, wanted, kinds));
  if (values.json) terminal.print(JSON.stringify(findings, null, 2));
  else for (const line of findings.flatMap((finding) => linesOf(finding, kinds))) terminal.print(line);
  return findings.every(({ ok }) => ok) ? 0 : 1;
}

async function lookAt(
  file: string,
  wanted: FileKind | undefined,
  kinds: readonly FileKind[],
): Promise<Finding> {
  let kind = wanted;
  try {
    const text = await readText(file);
    kind ??= guessKind(topKeys(text), kinds) ?? noKind(text, file, kinds);
    return { file, kind: kind.name, ok: true, summary: kind.check(text, file), problems: [], more: 0 };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { file, kind: kind?.name, ok: false, problems: error.problems, more: error.more };
  }
}

function noKind(text: string, file: string, kinds: readonly FileKind[]): never {
  // If it is no YAML, that is what to mend first.
  parseSettings(text, z.looseObject({}), file);
  const known = kinds.map(
    ({ name, words, keys }) => `a ${words} (${name}) has ${keys.slice(0, 3).join(', ')}`,
  );
  const says = `is none of the files that are known by their keys: ${known.join('; ')}. --kind says what it is`;
  throw new SettingsError(file, [{ path: '', text: says }]);
}

function linesOf({ file, kind, summary, problems, more }: Finding, kinds: readonly FileKind[]): string[] {
  if (summary !== undefined) {
    const words = kinds.find(({ name }) => name === kind)!.words;
    return [`${file}: a ${words} that is right: ${summary}`];
  }
  const lines = problems.map((problem) => describeProblem(file, problem));
  return more > 0 ? [...lines, `${file}: and ${more} more`] : lines;
}
