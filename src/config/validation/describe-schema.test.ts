import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { describeSchema, describeValue, describeValues, named } from './describe-schema.js';

describe('a schema in words', () => {
  it.each<[string, () => z.ZodType]>([
    ['a number', () => z.number()],
    ['a number >= 0', () => z.number().min(0)],
    ['a number > 0', () => z.number().positive()],
    ['a number < 5', () => z.number().lt(5)],
    ['a number <= 5', () => z.number().max(5)],
    ['a number from 0 to 1', () => z.number().min(0).max(1)],
    ['a number > 0 and <= 1', () => z.number().gt(0).max(1)],
    ['a whole number from 1 to 9', () => z.int().min(1).max(9)],
    ['a whole number >= 3', () => z.number().int().min(3)],
    ['a whole number', () => z.number().int()],
    ['a number', () => z.float32()],
    ['a number', () => z.number().refine((value) => value !== 3)],
    ['text', () => z.string()],
    ['text of 1 to 20 characters', () => z.string().min(1).max(20)],
    ['text of at most 20 characters', () => z.string().max(20)],
    ['text of 4 characters', () => z.string().length(4)],
    ['a list', () => z.array(z.number())],
    ['a list of at least 2 entries', () => z.array(z.number()).min(2)],
    ['a list of 2 entries', () => z.tuple([z.number(), z.number()])],
    ['a mapping', () => z.strictObject({})],
    ['a mapping', () => z.record(z.string(), z.number())],
    ['true or false', () => z.boolean()],
    ['nothing', () => z.null()],
    ['one of "a", "b"', () => z.enum(['a', 'b'])],
    ['"a"', () => z.literal('a')],
    ['one of 1, false', () => z.literal([1, false])],
    ['a number >= 0 or a mapping', () => z.union([z.number().min(0), z.strictObject({}), z.looseObject({})])],
    ['a number', () => z.number().optional()],
    ['a number', () => z.number().nullable()],
    ['a number', () => z.number().default(3)],
    ['a number', () => z.number().prefault(3)],
    ['a number', () => z.number().optional().nonoptional()],
    ['a number', () => z.number().readonly()],
    ['a number', () => z.number().catch(3)],
    ['a number', () => z.number().transform(String)],
    ['true or false', () => z.lazy(() => z.boolean())],
    ['a date', () => z.date()],
    ['a colour', () => named('a colour', z.string())],
    ['a number or a colour', () => z.union([z.number(), named('a colour', z.string()).optional()])],
  ])('is %s', (words, make) => {
    expect(describeSchema(make())).toBe(words);
  });
});

describe('a value in words', () => {
  it.each([
    [null, 'nothing'],
    [undefined, 'nothing'],
    [[1, 2], 'a list of 2'],
    [{ a: 1 }, 'a mapping'],
    [5, '5'],
    [true, 'true'],
    ['ten', '"ten"'],
    ['a "quoted" one', '"a \\"quoted\\" one"'],
    ['x'.repeat(41), `"${'x'.repeat(40)}…"`],
    ['x'.repeat(40), `"${'x'.repeat(40)}"`],
  ])('%j is %s', (value, words) => {
    expect(describeValue(value)).toBe(words);
  });

  it('may be one of several', () => {
    expect(describeValues(['a'])).toBe('"a"');
    expect(describeValues(['a', 2])).toBe('one of "a", 2');
  });
});
