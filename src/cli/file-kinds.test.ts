import { expect, it } from 'vitest';
import { type FileKind, guessKind } from './file-kinds.js';

const kind = (name: string, ...keys: string[]): FileKind => ({
  name,
  words: name,
  keys,
  check: () => expect.unreachable(),
  schema: () => expect.unreachable(),
});
const KINDS = [kind('quota', 'service', 'customers', 'everyoneElse'), kind('fleet', 'services', 'clients')];

it.each([
  [['service', 'customers'], 'quota'],
  [['services'], 'fleet'],
  [['service'], 'quota'],
  [['customers', 'clients', 'everyoneElse'], 'quota'],
  [['custmers'], 'quota'],
  [['cleints', 'other', 'keys'], 'fleet'],
  [['customers', 'clients'], undefined],
  [['other'], undefined],
  [[], undefined],
])('takes a file with %j for: %s', (keys, name) => {
  expect(guessKind(keys, KINDS)?.name).toBe(name);
});

it('knows nothing when there is nothing to know', () => {
  expect(guessKind(['a'], [])).toBeUndefined();
});
