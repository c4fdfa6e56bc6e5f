import { expect, it } from 'vitest';
import * as z from 'zod';
import { lateError } from './late-problems.js';
import { parseSettings } from './parse-settings.js';

const one = z.strictObject({ cert: z.string() });
const SCHEMA = z.strictObject({
  listen: z.union([one, z.array(one)]).transform((given) => [given].flat()),
  quota: z.string().optional(),
});
const PROBLEMS = [
  { path: ['quota'], text: 'is gone' },
  { path: ['listen', 0, 'cert'], text: 'is none' },
];

it('has line and column of keys in settings that were read, from top to bottom', () => {
  const settings = parseSettings(`listen:\n  - cert: "\${A}"\nquota: q\n`, SCHEMA, 'g.yaml', {
    environment: { A: 'long enough to move all that stands behind it' },
  });
  const cause = new Error('why');
  const error = lateError(settings, PROBLEMS, { cause });
  expect(error.message).toBe('g.yaml:2:11: listen[0].cert: is none\ng.yaml:3:8: quota: is gone');
  expect(error).toMatchObject({ name: 'SettingsError', file: 'g.yaml', cause });
});

it('finds the entry of a list that is written as that entry, and what is not there where it should be', () => {
  const settings = parseSettings('listen: { cert: a }\n', SCHEMA, 'g.yaml');
  expect(lateError(settings, PROBLEMS).message).toBe(
    'g.yaml:1:1: quota: is gone\ng.yaml:1:17: listen[0].cert: is none',
  );
});

it('knows the keys alone of settings that were not read here', () => {
  const copy = { ...parseSettings('listen: { cert: a }\n', SCHEMA, 'g.yaml') };
  expect(lateError(copy, PROBLEMS).message).toBe(
    'settings: quota: is gone\nsettings: listen[0].cert: is none',
  );
});
