/** `--only a,b`: which sections of a bench run; all when it is not said. */
export function sectionsOf<T extends string>(known: readonly T[], given: string | undefined): readonly T[] {
  if (given === undefined) return known;
  return given.split(',').map((name) => {
    const found = known.find((section) => section === name);
    if (found === undefined) throw new Error(`--only knows ${known.join(', ')}, not "${name}"`);
    return found;
  });
}

/** `--runs 5`. */
export function wholeNumberOf(flag: string, text: string): number {
  const value = text === '' ? Number.NaN : Number(text);
  if (!(Number.isInteger(value) && value >= 1))
    throw new Error(`--${flag} must be a whole number from 1 on, got "${text}"`);
  return value;
}
