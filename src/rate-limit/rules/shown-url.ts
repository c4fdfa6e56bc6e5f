/**
 * A URL that is wrong, for a message. What is before the last @ may be a password, however it is written, and so may a query:
 * messages are kept in logs.
 */
export function shownUrl(given: unknown): string {
  if (typeof given !== 'string' && !(given instanceof URL)) return typeof given;
  const text = String(given)
    .replace(/^.*@/s, '…@')
    .replace(/[?#].*$/s, '?…');
  return JSON.stringify(text);
}
