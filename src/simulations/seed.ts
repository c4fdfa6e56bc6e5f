/** Nine digits: easily said and typed, and more than anybody draws. */
const SEED = /^\d{1,9}$/;

/** What `seedOf` takes, in words that follow "takes". */
export const SEED_IN_WORDS = 'a whole number from 0 to 999999999';

/** The seed that somebody wrote; undefined when it is none. */
export function seedOf(text: string): number | undefined {
  return SEED.test(text) ? Number(text) : undefined;
}
