import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { checkSpec, closestComplaint, nonNegativeSchema, positiveSchema, shareSchema } from './spec.js';

const both = z.strictObject({ a: nonNegativeSchema, b: positiveSchema });

describe('checkSpec', () => {
  it('hands back what is right', () => {
    expect(checkSpec('both', both, { a: 0, b: 1 })).toEqual({ a: 0, b: 1 });
  });

  it('says all that is wrong at once, and where', () => {
    const wrong = { a: -1, b: 0, c: 1 };
    const check = () => checkSpec('both', both, wrong);
    expect(check).toThrow(RangeError);
    for (const part of ['both.a: Too small', '; both.b: Too small', '; both: Unrecognized key: "c"']) {
      expect(check).toThrow(part);
    }
  });

  it.each([
    [nonNegativeSchema, [0, 5e-324, 1e12], [-1e-300, 1.1e12, Number.NaN, Number.POSITIVE_INFINITY]],
    [positiveSchema, [1e-9, 1e12], [0, 1e-10, 1.1e12]],
    [shareSchema, [0, 1], [-0.1, 1.1]],
  ])('bounds every number', (schema, right, wrong) => {
    for (const value of right) expect(checkSpec('value', schema, value)).toBe(value);
    for (const value of wrong) expect(() => checkSpec('value', schema, value)).toThrow('value: ');
  });
});

describe('closestComplaint', () => {
  const options = {
    error: ({ errors }: { errors: z.core.$ZodIssue[][] }) => closestComplaint(errors, 'neither'),
  };
  const union = z.union(
    [z.number(), z.strictObject({ one: both }), z.strictObject({ other: both })],
    options,
  );
  const complaint = (given: unknown) => union.safeParse(given).error?.issues.map(({ message }) => message);

  it('is that of the alternative that was meant', () => {
    expect(complaint({ one: { a: 1 } })).toEqual([
      'one.b: Invalid input: expected number, received undefined',
    ]);
    expect(complaint({ one: 5 })).toEqual(['one: Invalid input: expected object, received number']);
    expect(complaint({ other: {} })).toEqual([
      'other.a: Invalid input: expected number, received undefined; ' +
        'other.b: Invalid input: expected number, received undefined',
    ]);
  });

  it('names what may be given when none was meant, or more than one', () => {
    for (const given of ['x', {}, { another: 1 }, { one: { a: 1, b: 1 }, other: { a: 1, b: 1 } }]) {
      expect(complaint(given)).toEqual(['neither']);
    }
  });

  it('is that of the only alternative of that type, also where a name is unknown', () => {
    const simple = z.union([z.number(), both], options);
    expect(simple.safeParse({ a: 'x', b: 1, c: 1 }).error?.issues[0]?.message).toBe(
      'a: Invalid input: expected number, received string; Unrecognized key: "c"',
    );
  });
});
