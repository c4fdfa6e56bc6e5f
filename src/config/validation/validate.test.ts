import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { validate } from './validate.js';

/** `path: text`, with the place to look at where it is another one. */
function problems(schema: z.ZodType, given: unknown): string[] {
  const validated = validate(schema, given);
  if ('value' in validated) return [];
  return validated.problems.map(({ path, text, at, isAtKey }) => {
    const place = at === undefined ? '' : ` (look at ${at.join('.') || 'all'})`;
    return `${path.join('.')}${isAtKey ? ' (key)' : ''}: ${text}${place}`;
  });
}

const SERVICE = z.strictObject({
  backends: z.int().min(1).max(100),
  policy: z.enum(['prequal', 'weighted']),
});

describe('validation', () => {
  it('gives the value, with its defaults', () => {
    const schema = z.strictObject({ count: z.int().default(1) });
    expect(validate(schema, {})).toEqual({ value: { count: 1 } });
  });

  it('says what must be, and what was given', () => {
    expect(problems(SERVICE, { backends: 'ten', policy: 'prequel' })).toEqual([
      'backends: must be a whole number from 1 to 100, got "ten"',
      'policy: must be one of "prequal", "weighted", got "prequel"',
    ]);
    expect(problems(SERVICE, { backends: 1.5, policy: null })).toEqual([
      'backends: must be a whole number from 1 to 100, got 1.5',
      'policy: must be one of "prequal", "weighted", got nothing',
    ]);
    expect(problems(SERVICE, { backends: 101, policy: 'weighted' })).toEqual([
      'backends: must be a whole number from 1 to 100, got 101',
    ]);
    expect(problems(SERVICE, [])).toEqual([': must be a mapping, got a list of 0']);
  });

  it('says of sizes, formats and multiples what they must be', () => {
    const schema = z.strictObject({
      names: z.array(z.string().min(1)).max(2),
      key: z.string().regex(/^[a-z]+$/),
      address: z.email(),
      even: z.number().multipleOf(2),
      odd: z.number().refine((value) => value % 2 === 1),
    });
    expect(
      problems(schema, { names: ['a', 'b', 'c'], key: 'A', address: 'nobody', even: 3, odd: 2 }),
    ).toEqual([
      'names: must be a list of at most 2 entries, got a list of 3',
      'key: must match /^[a-z]+$/, got "A"',
      'address: must be a valid email, got "nobody"',
      'even: must be a multiple of 2, got 3',
      'odd: is not allowed, got 2',
    ]);
    expect(problems(z.array(z.string().min(1)), ['a', ''])).toEqual([
      '1: must be text of at least 1 character, got ""',
    ]);
  });

  it('leaves what the schema says in its own words', () => {
    const schema = z.number('must be a duration in ms').refine((ms) => ms > 0, 'must take some time');
    expect(problems(schema, 'soon')).toEqual([': must be a duration in ms']);
    expect(problems(schema, 0)).toEqual([': must take some time']);
    const present = z.strictObject({ a: z.any().refine((value) => value !== undefined, 'is needed') });
    expect(problems(present, {})).toEqual(['a (key): is needed (look at all)']);
    const odd = z.number().superRefine((input, { addIssue }) => {
      addIssue({ code: 'too_big', origin: 'number', maximum: 3, input });
    });
    expect(problems(odd, 5)).toEqual([expect.stringContaining(', got 5')]);
  });
});

describe('keys', () => {
  it('that are missing are looked for in their parent', () => {
    const schema = z.strictObject({ services: z.record(z.string(), SERVICE) });
    expect(problems(schema, { services: { web: { policy: 'weighted' } } })).toEqual([
      'services.web.backends (key): is missing, must be a whole number from 1 to 100 (look at services.web)',
    ]);
    expect(problems(schema, {})).toEqual(['services (key): is missing, must be a mapping (look at all)']);
  });

  it('that are not known come with the one that was meant, or with all that are', () => {
    expect(problems(SERVICE, { backends: 1, policy: 'weighted', bakends: 2, zones: 3 })).toEqual([
      'bakends (key): is not known, did you mean backends?',
      'zones (key): is not known, only backends, policy',
    ]);
    expect(problems(z.strictObject({}), { a: 1 })).toEqual(['a (key): is not known']);
    expect(problems(z.strictObject({}, 'must be empty'), { a: 1 })).toEqual(['a (key): must be empty']);
    const both = z.intersection(z.strictObject({ a: z.number() }), z.strictObject({ b: z.number() }));
    expect(problems(both, { a: 1, b: 1, aa: 2 })).toEqual([
      expect.stringMatching(/^aa \(key\): is not known/),
    ]);
    expect(problems(SERVICE, JSON.parse('{ "backends": 1, "policy": "weighted", "__proto__": 1 }'))).toEqual([
      '__proto__ (key): is not known, only backends, policy',
    ]);
  });

  it('may have to be of a kind', () => {
    expect(problems(z.record(z.string().min(1).max(3), z.number()), { long: 1 })).toEqual([
      'long (key): the name must be text of 1 to 3 characters, got "long"',
    ]);
    expect(problems(z.partialRecord(z.enum(['low', 'high']), z.number()), { hihg: 1 })).toEqual([
      expect.stringMatching(/^hihg \(key\): .*high/),
    ]);
    expect(problems(z.record(z.enum(['low', 'high']), z.number()), { low: 1, hihg: 1 })).toEqual([
      'high (key): is missing, must be a number (look at all)',
      'hihg (key): is not known, did you mean high?',
    ]);
  });
});

describe('alternatives', () => {
  const cost = z.union([
    z.number().min(0),
    z.strictObject({ mean: z.number().min(0) }),
    z.strictObject({ mean: z.number(), deviation: z.number(), least: z.number() }),
  ]);

  it('are all named when none was meant', () => {
    expect(problems(z.strictObject({ cost }), { cost: 'much' })).toEqual([
      'cost: must be a number >= 0 or a mapping, got "much"',
    ]);
    expect(problems(z.strictObject({ cost }), {})).toEqual([
      'cost (key): is missing, must be a number >= 0 or a mapping (look at all)',
    ]);
  });

  it('are judged by the one that was meant', () => {
    expect(problems(z.strictObject({ cost }), { cost: { mean: 'much' } })).toEqual([
      'cost.mean: must be a number >= 0, got "much"',
    ]);
    expect(problems(z.strictObject({ cost }), { cost: -1 })).toEqual(['cost: must be a number >= 0, got -1']);
    expect(problems(z.strictObject({ cost }), { cost: { men: 1 } })).toEqual([
      'cost.mean (key): is missing, must be a number >= 0 (look at cost)',
      'cost.men (key): is not known, did you mean mean?',
    ]);
  });

  it('may be told apart by a field', () => {
    const fault = z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('kill'), atMs: z.number() }),
      z.strictObject({ kind: z.literal('slow'), factor: z.number() }),
    ]);
    expect(problems(fault, { kind: 'kil' })).toEqual(['kind: must be one of "kill", "slow", got "kil"']);
    expect(problems(fault, {})).toEqual([
      'kind (key): is missing, must be one of "kill", "slow" (look at all)',
    ]);
    expect(problems(fault, { kind: 'slow', atMs: 1 })).toEqual([
      'factor (key): is missing, must be a number (look at all)',
      'atMs (key): is not known, only kind, factor',
    ]);
    expect(problems(fault, 3)).toEqual([expect.stringMatching(/^: must be a mapping.*, got 3$/)]);
  });
});
