import { parseArgs } from 'node:util';
import { nearestWord } from '../config/index.js';
import type { FileKind } from './file-kinds.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

function help(kinds: readonly FileKind[]): string {
  const list = kinds.map(({ name, words }) => `${name.padEnd(10)} ${words}`);
  return `plimsoll schema <kind>

Prints the JSON Schema of a kind of file, by which editors complete and check what is written:

  plimsoll schema quota > quota.schema.json

and, as the first line of the file itself:

  # yaml-language-server: $schema=./quota.schema.json

Kinds of files:

  ${list.join('\n  ')}`;
}

/** Returns the exit code. */
export async function schema(
  args: string[],
  terminal: Terminal,
  kinds: readonly FileKind[],
): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    terminal.print(help(kinds));
    return 0;
  }
  const [name] = positionals;
  if (name === undefined) throw new UsageError(`schema needs a kind of file.\n\n${help(kinds)}`);
  if (positionals.length > 1) throw new UsageError(`schema takes one kind, got ${positionals.join(' and ')}`);
  terminal.print(JSON.stringify(kindNamed(name, kinds).schema(), null, 2));
  return 0;
}

export function kindNamed(name: string, kinds: readonly FileKind[]): FileKind {
  const kind = kinds.find((known) => known.name === name);
  if (kind !== undefined) return kind;
  const names = kinds.map((known) => known.name);
  const nearest = nearestWord(name, names);
  const hint = nearest === undefined ? `there are ${names.join(', ')}` : `did you mean ${nearest}?`;
  throw new UsageError(`there is no kind of file "${name}", ${hint}`);
}
