import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { duration, rate, size } from './units.js';
import { validate } from './validation/validate.js';

const said = (schema: z.ZodType, given: unknown) => {
  const validated = validate(schema, given);
  return 'value' in validated ? validated.value : validated.problems.map(({ text }) => text).join();
};

describe('units as people write them', () => {
  it.each([
    [rate(), '300/3h', { limit: 300, windowMs: 10_800_000 }],
    [rate(), '5 per minute', { limit: 5, windowMs: 60_000 }],
    [duration(), '250ms', 250],
    [duration(), '2s', 2_000],
    [duration(), '15 min', 900_000],
    [duration(), '1d', 86_400_000],
    [size(), '64KB', 64_000],
    [size(), '64 kb', 64_000],
    [size(), '1MiB', 1_048_576],
    [size(), '2GB', 2_000_000_000],
    [size(), '500 B', 500],
    [size(), '0b', 0],
  ])('%# are read', (schema, text, value) => {
    expect(said(schema, text)).toEqual(value);
  });

  it.each([
    [rate(), '300', 'must be a rate like "300/3h", got "300"'],
    [rate(), 300, 'must be a rate like "300/3h", got 300'],
    [rate(), '0/s', 'must be a rate like "300/3h", got "0/s"'],
    [duration(), '2', 'must be a duration like "250ms" or "2s", got "2"'],
    [duration(), 2, 'must be a duration like "250ms" or "2s", got 2'],
    [duration(), '-2s', 'must be a duration like "250ms" or "2s", got "-2s"'],
    [duration(), '2 fortnights', 'must be a duration like "250ms" or "2s", got "2 fortnights"'],
    [duration(), '3/2s', 'must be a duration like "250ms" or "2s", got "3/2s"'],
    [size(), '64', 'must be a size like "64KB" or "1MiB", got "64"'],
    [size(), 'KB', 'must be a size like "64KB" or "1MiB", got "KB"'],
    [size(), '64 constructor', 'must be a size like "64KB" or "1MiB", got "64 constructor"'],
    [size(), '99999999999999999GB', 'must be a size like "64KB" or "1MiB", got "99999999999999999GB"'],
    [z.strictObject({ a: duration() }), {}, 'is missing, must be a duration like "250ms" or "2s"'],
    [z.union([z.number(), rate()]), [], 'must be a number or a rate like "300/3h", got a list of 0'],
    [z.union([z.number(), rate()]), '3/x', 'must be a rate like "300/3h", got "3/x"'],
  ])('%# are refused', (schema, given, text) => {
    expect(said(schema, given)).toBe(text);
  });

  it('are let through by the pattern that editors know if they are right', () => {
    const part = fc.constantFrom(
      '3',
      '300',
      '/',
      ' ',
      'per',
      'PER',
      'h',
      'Min',
      'ms',
      's',
      'KB',
      'MiB',
      'b',
      '-',
      '.',
    );
    const text = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
    let right = 0;
    for (const schema of [rate(), duration(), size()]) {
      const { pattern } = z.toJSONSchema(schema, { io: 'input' });
      fc.assert(
        fc.property(text, (given) => {
          if (!schema.safeParse(given).success) return;
          right++;
          expect(given).toMatch(new RegExp(pattern!));
        }),
        { numRuns: 2_000 },
      );
    }
    expect(right).toBeGreaterThan(100);
  });
});
