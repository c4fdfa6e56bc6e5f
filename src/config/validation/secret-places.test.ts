import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { parseSettings } from '../parse-settings.js';
import { withSecrets } from './secret-places.js';

const HASH = z.string().regex(/^#\d+$/);
const SCHEMA = withSecrets(
  { values: ['door', 'door.token', 'lists.*'], names: ['keys'] },
  z.strictObject({
    door: z.union([z.literal(false), z.strictObject({ token: z.string().min(8).optional() })]).optional(),
    lists: z.array(z.string().max(3)).optional(),
    keys: z.record(HASH, z.strictObject({ owner: z.string() })).optional(),
    url: z.enum(['http://a']).optional(),
    plain: z.int().optional(),
  }),
);

function problem(text: string, schema: z.ZodType = SCHEMA, environment = {}): string {
  try {
    parseSettings(text, schema, 'f', { environment });
  } catch (error) {
    return (error as Error).message;
  }
  return 'none';
}

describe('what is wrong at the place of a secret', () => {
  it.each([
    ['door: hunter22', 'f:1:7: door: must be false or a mapping'],
    ['door: { token: 1234567890 }', 'f:1:16: door.token: must be text of at least 8 characters'],
    ['door: { token: hunter }', 'f:1:16: door.token: must be text of at least 8 characters'],
    ['lists: [hunter22]', 'f:1:9: lists[0]: must be text of at most 3 characters'],
    ['door: { hunter22 }', 'f:1:9: door.***: is not known, only token'],
    ['keys: hunter22', 'f:1:7: keys: must be a mapping'],
    ['keys: { "hunter 22": { owner: me } }', 'f:1:9: keys.***: the name must match /^#\\d+$/'],
    ['keys: { "#22": { hunter22: me } }', 'f:1:9: keys.***: is missing, must be text'],
    ['url: http://hunter:22@b/', 'f:1:6: url: must be "http://a", got "http://***@b/"'],
  ])('is said without it: %s', (text, said) => {
    expect(problem(text).split('\n')[0]).toBe(said);
    expect(problem(text)).not.toContain('hunter');
    expect(problem(text)).not.toMatch(/\b1234567890\b/);
  });

  it('may say what kind of thing it is, and which variable it comes from', () => {
    expect(problem('door: [1]')).toBe('f:1:7: door: must be false or a mapping, got a list of 1');
    const environment = { TOKEN: 'hunter' };
    expect(problem(`door: { token: "\${TOKEN}" }`, SCHEMA, environment)).toMatch(/, got \$\{TOKEN\}$/);
  });

  it('is of the whole file, where that is keys', () => {
    const keys = withSecrets({ values: [], names: [''] }, z.record(HASH, z.string()));
    expect(problem('"#1": a\nhunter22: b\n', keys)).toBe('f:2:1: ***: the name must match /^#\\d+$/');
    expect(problem('hunter22', keys)).toBe('f:1:1: must be a mapping');
  });
});

it('leaves what is no secret as it is', () => {
  expect(problem('door: { tokem: x }')).toBe('f:1:9: door.tokem: is not known, did you mean token?');
  expect(problem('plain: hunter22')).toBe('f:1:8: plain: must be a whole number, got "hunter22"');
});
