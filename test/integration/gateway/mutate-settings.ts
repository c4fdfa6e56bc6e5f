import { parse, stringify } from 'yaml';
import type { SeededRandom } from '../../../src/core/index.js';

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: as it stands in files
/** What people, generators and merges put into files. */
const VALUES: readonly unknown[] = [
  0,
  1,
  -1,
  2,
  80,
  65_536,
  1e9,
  1e300,
  0.5,
  -0.1,
  true,
  false,
  null,
  '',
  ' ',
  'x',
  '/',
  '/*',
  '/:id',
  '*',
  'a b',
  'ä',
  '10s',
  '0s',
  '1ms',
  '24h',
  '5/min',
  '0/s',
  '1MB',
  '0B',
  'all',
  'http://a:1',
  'http://a',
  'https://[::1]:1',
  'users',
  'CRITICAL',
  'SHEDDABLE',
  'queue',
  'leaking-bucket',
  'gcra',
  'jwt:sub',
  'header:x',
  '../x',
  '/a/../b',
  '10.0.0.0/8',
  '::/0',
  '127.0.0.1:0',
  '${HOME}',
  '${NONE}',
  '$',
  '__proto__',
  'constructor',
  [],
  {},
  [[]],
  [1],
  ['x'],
  { x: 1 },
  { __proto__: 1 },
];

// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as it stands in files

type Tree = Record<string, unknown> | unknown[];

function pick<T>(random: SeededRandom, from: readonly T[]): T {
  return from[Math.floor(random.next() * from.length)]!;
}

/** A file that somebody has changed by one to three mistakes. */
export function mutateSettings(text: string, random: SeededRandom): string {
  const mutate = random.next() < 0.6 ? mutateTree : mutateText;
  let mutated = text;
  const times = 1 + Math.floor(random.next() * 3);
  for (let i = 0; i < times; i++) mutated = mutate(mutated, random);
  return mutated;
}

function mutateTree(text: string, random: SeededRandom): string {
  let tree: unknown;
  try {
    tree = parse(text);
  } catch {
    return text;
  }
  const places: [Tree, string | number][] = [];
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    for (const key of Object.keys(value)) {
      places.push([value as Tree, Array.isArray(value) ? Number(key) : key]);
      visit((value as Record<string, unknown>)[key]);
    }
  };
  visit(tree);
  if (places.length === 0) return text;
  const [parent, key] = pick(random, places);
  const [other, otherKey] = pick(random, places);
  const at = parent as Record<string | number, unknown>;
  switch (Math.floor(random.next() * 6)) {
    case 0:
      if (Array.isArray(parent)) parent.splice(Number(key), 1);
      else delete at[key];
      break;
    case 1:
      if (Array.isArray(parent)) parent.push(parent[Number(key)]);
      else at[`${key}s`] = at[key];
      break;
    case 2:
      at[key] = structuredClone((other as Record<string | number, unknown>)[otherKey]);
      break;
    case 3:
      if (typeof at[key] === 'number') at[key] = (at[key] as number) * pick(random, [-1, 0, 1_000, 0.001]);
      else at[key] = [at[key]];
      break;
    default:
      at[key] = pick(random, VALUES);
  }
  try {
    return stringify(tree, { aliasDuplicateObjects: false });
  } catch {
    return text;
  }
}

function mutateText(text: string, random: SeededRandom): string {
  const lines = text.split('\n');
  const at = Math.floor(random.next() * lines.length);
  const line = lines[at]!;
  const letter = Math.floor(random.next() * (line.length + 1));
  switch (Math.floor(random.next() * 7)) {
    case 0:
      lines.splice(at, 1);
      break;
    case 1:
      lines.splice(at, 0, pick(random, lines));
      break;
    case 2:
      lines[at] = `  ${line}`;
      break;
    case 3:
      lines[at] = line.replace(/^ {2}/, '');
      break;
    case 4:
      lines[at] =
        line.slice(0, letter) + pick(random, [...':-{}[]"\'#&*!|>%@`,\0\t \u2028é😀']) + line.slice(letter);
      break;
    case 5:
      lines[at] = line.slice(0, letter) + line.slice(letter + 1);
      break;
    default:
      lines.length = at;
  }
  return lines.join('\n');
}
