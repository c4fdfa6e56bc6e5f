import { expect, it } from 'vitest';
import * as z from 'zod';
import { isFilledIn } from './filled-in.js';
import { parseSettings } from './parse-settings.js';

const SCHEMA = z.strictObject({ all: z.array(z.record(z.string(), z.string())) });

it('knows what of settings is from the environment', () => {
  const text = `all:\n  - { a: "x-\${A}", b: plain, c: &c "\${A}" }\n  - { d: *c, e: "$\${A}" }\n`;
  const read = parseSettings(text, SCHEMA, 'f', { environment: { A: 'hunter2' } });
  expect(read.all[1]).toEqual({ d: 'hunter2', e: `\${A}` });
  const places = [
    [0, 'a'],
    [0, 'b'],
    [0, 'c'],
    [1, 'd'],
    [2, 'x'],
  ];
  expect(places.map((path) => isFilledIn(read, ['all', ...path]))).toEqual([true, false, true, true, false]);
  expect(isFilledIn({ ...read }, ['all', 0, 'a'])).toBe(false);
  expect(isFilledIn(parseSettings(text, SCHEMA, 'f'), ['all', 0, 'a'])).toBe(false);
});
