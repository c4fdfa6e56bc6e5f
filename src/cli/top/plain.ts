/**
 * Names of customers, keys of limits and messages may hold what strangers have written: nothing of it moves a cursor (C0 and
 * C1 controls, of which U+009B begins a sequence as Escape does), or turns a line around (marks of direction).
 */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '?');
}
