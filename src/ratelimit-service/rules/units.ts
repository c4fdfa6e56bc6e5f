/** A unit as files and messages name it. */
export interface Unit {
  readonly name: string;
  /** Of the enumeration `RateLimitResponse.RateLimit.Unit`. */
  readonly number: number;
  readonly ms: number;
}

const SECOND_MS = 1_000;
const DAY_MS = 86_400 * SECOND_MS;

/** A month has 30 days and a year 365, as in Envoy's service. */
export const UNITS: readonly Unit[] = Object.freeze([
  { name: 'second', number: 1, ms: SECOND_MS },
  { name: 'minute', number: 2, ms: 60 * SECOND_MS },
  { name: 'hour', number: 3, ms: 3_600 * SECOND_MS },
  { name: 'day', number: 4, ms: DAY_MS },
  { name: 'week', number: 7, ms: 7 * DAY_MS },
  { name: 'month', number: 5, ms: 30 * DAY_MS },
  { name: 'year', number: 6, ms: 365 * DAY_MS },
]);

/** In letters of either size. */
export function unitNamed(name: string): Unit | undefined {
  const lower = name.toLowerCase();
  return UNITS.find((unit) => unit.name === lower);
}

export function unitNumbered(number: number): Unit | undefined {
  return UNITS.find((unit) => unit.number === number);
}
