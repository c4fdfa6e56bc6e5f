/** What stands above a column. */
export interface Heading {
  readonly text: string;
  /** Its numbers are shares, and shown as percent. */
  readonly isShare: boolean;
}

/** The name of a field ends with its unit. */
const UNITS: readonly (readonly [suffix: string, shown: string])[] = [
  ['PerSecond', '/s'],
  ['PerMinute', '/min'],
  ['Seconds', ' s'],
  ['Ms', ' ms'],
  ['Bytes', ' B'],
  ['Percent', ' %'],
];

/** `p99Ms` → `p99 ms`, `goodputPerSecond` → `goodput/s`, `refusedShare` → `refused`, `maxOverMean` → `max/mean`. */
export function headingOf(field: string): Heading {
  if (field === 'share') return { text: field, isShare: true };
  if (field.endsWith('Share')) return { text: words(field.slice(0, -'Share'.length)), isShare: true };
  for (const [suffix, shown] of UNITS) {
    if (field.endsWith(suffix) && field.length > suffix.length)
      return { text: words(field.slice(0, -suffix.length)) + shown, isShare: false };
  }
  return { text: words(field), isShare: false };
}

function words(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll(' over ', '/');
}
