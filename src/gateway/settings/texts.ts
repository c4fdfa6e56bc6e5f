import * as z from 'zod';
import { describeValue, duration, named, size, written } from '../../config/index.js';
import { trustOf } from '../../server/intake/trust.js';
import { encodeCustomer } from '../../wire/index.js';

/**
 * Settings stay as they are written, `2s` and not 2000: so they can be printed, compared and read again. Whoever uses
 * them converts.
 */
const DURATION = duration();
const SIZE = size();

/** A day: what is longer is a mistake, and after 24 of them Node's timers turn into 1 ms. */
const MOST_MS = 86_400_000;

/** Milliseconds of a duration that was checked. */
export function msOf(text: string): number {
  return DURATION.parse(text);
}

/** Bytes of a size that was checked. */
export function bytesOf(text: string): number {
  return SIZE.parse(text);
}

export const durationText = written(
  'a duration like "250ms" or "2s", of a day at most',
  '^\\s*\\d*\\s*[A-Za-z]+\\s*$',
  (text) => {
    if (msOf(text) > MOST_MS) throw new RangeError('longer than a day');
    return text;
  },
);

export const sizeText = written(
  'a size like "64KB" or "1MiB"',
  '^\\s*\\d+\\s*([KkMmGg][Ii]?)?[Bb]\\s*$',
  (text) => {
    bytesOf(text);
    return text;
  },
);

/** Text of a certain form. */
export function matching(words: string, pattern: RegExp) {
  const error = ({ input }: { input?: unknown }) => `must be ${words}, got ${describeValue(input)}`;
  return named(words, z.string().regex(pattern, { error }));
}

/** Text that a check of ours takes; what it throws says no more than that it does not. */
function checked(words: string, check: (text: string) => unknown) {
  const error = ({ input }: { input?: unknown }) => `must be ${words}, got ${describeValue(input)}`;
  const passes = (text: string) => {
    try {
      return check(text) !== false;
    } catch {
      return false;
    }
  };
  return named(words, z.string().refine(passes, { error }));
}

/** What services, routes and limits are called: in metrics, headers and stores, and as a host's name. */
export const nameText = matching(
  'a name of 1 to 48 letters, digits and .-_ that begins with a letter',
  /^[A-Za-z][\w.-]{0,47}$/,
);

export const headerText = matching('the name of a header', /^[\w!#$%&'*+.^`|~-]{1,128}$/);

export const fileText = matching('the name of a file', /^[^\0]{1,4096}$/);

export const networkText = checked('a network like "10.0.0.0/8"', (text) => trustOf([text]));

export const customerText = checked(
  'a customer of 1 to 128 visible characters, not "(no quota)"',
  (text) => encodeCustomer(text) !== undefined,
);

/** A check of what parts say together: where one is wrong by itself that is told, and there is nothing to hold it against. */
export function together<T>(check: (given: T, context: z.RefinementCtx) => void) {
  return (given: T, context: z.RefinementCtx): void => {
    if (context.issues.length === 0) check(given, context);
  };
}

/** A check that belongs to another part throws with the field and the value: said here, where it stands in the file. */
export function addProblem(context: z.RefinementCtx, check: () => unknown, path: PropertyKey[] = []): void {
  try {
    check();
  } catch (error) {
    const message = error instanceof z.ZodError ? error.issues[0]?.message : undefined;
    if (message === undefined && !(error instanceof RangeError)) throw error;
    context.addIssue({ code: 'custom', path, message: message ?? (error as Error).message });
  }
}
