import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { toYaml } from './fleet-yaml.js';

it('is written as people write it', () => {
  const clients = { people: { count: 2, service: 'web', arrivals: { perSecond: 5 }, policy: undefined } };
  const faults = [
    { kind: 'kill', atMs: 5 },
    { kind: 'slow', note: `${'very '.repeat(20)}slow`, list: [] },
  ];
  expect(
    toYaml({ durationMs: 1_000, services: { 'a b': { backends: 3 } }, clients, faults }),
  ).toBe(`durationMs: 1000
services:
  "a b": { backends: 3 }
clients:
  people: { count: 2, service: web, arrivals: { perSecond: 5 } }
faults:
  - { kind: kill, atMs: 5 }
  - kind: slow
    note: "${'very '.repeat(20)}slow"
    list: []
`);
});

it('says the same when it is read', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('true', 'No', 'null', '1', '~', 'a-b', '- x', 'k: v', '#'),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.oneof(
        text,
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
      ),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(
        text.filter((key) => key !== '__proto__' && key !== '<<'),
        tie('value'),
        { maxKeys: 4 },
      ),
    ),
  }));
  fc.assert(
    fc.property(value, (given) => {
      expect(parse(toYaml(given))).toEqual(JSON.parse(JSON.stringify(given)));
    }),
  );
});
