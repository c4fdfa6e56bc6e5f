import * as z from 'zod';
import { parseRate, type Rate } from '../core/index.js';
import { describeValue, named } from './validation/describe-schema.js';

/** Of a kilobyte: as disks and networks count. `KiB` are those of memory. */
const BYTES: Readonly<Record<string, number>> = Object.freeze({
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
});

/** How much within what time: `300/3h`, `5 per minute`. */
export function rate(): z.ZodType<Rate, string> {
  return written(
    'a rate like "300/3h"',
    '^\\s*\\d+\\s*(/|[Pp][Ee][Rr]\\b)\\s*\\d*\\s*[A-Za-z]+\\s*$',
    parseRate,
  );
}

/** Milliseconds: `250ms`, `2s`, `3h`. */
export function duration(): z.ZodType<number, string> {
  // What a rate is counted over is a duration: both know the same units.
  const parse = (text: string) => parseRate(`1/${text}`).windowMs;
  return written('a duration like "250ms" or "2s"', '^\\s*\\d*\\s*[A-Za-z]+\\s*$', parse);
}

/** Bytes: `64KB`, `1 MiB`, `500 B`. */
export function size(): z.ZodType<number, string> {
  return written('a size like "64KB" or "1MiB"', '^\\s*\\d+\\s*([KkMmGg][Ii]?)?[Bb]\\s*$', parseSize);
}

function parseSize(text: string): number {
  const [, count, unit] = /^(\d+)\s*([a-z]+)$/.exec(text.trim().toLowerCase()) ?? [];
  const bytes = Number(count) * (BYTES[unit ?? ''] ?? Number.NaN);
  if (!Number.isSafeInteger(bytes)) throw new RangeError(`size must be like 64KB, got ${text}`);
  return bytes;
}

/**
 * Text that means something else; a bare number is refused, since nobody would know of what. `pattern` is for editors,
 * which know no more than the schema that is published: it lets through all that can be right.
 */
export function written<T>(words: string, pattern: string, parse: (text: string) => T): z.ZodType<T, string> {
  const text = named(words, z.string().meta({ pattern }));
  return named(
    words,
    text.transform((given, context) => {
      try {
        return parse(given);
      } catch {
        const message = `must be ${words}, got ${describeValue(given)}`;
        context.addIssue({ code: 'custom', message, input: given });
        return z.NEVER;
      }
    }),
  );
}
