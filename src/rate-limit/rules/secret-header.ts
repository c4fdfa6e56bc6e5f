/** What headers are called that let somebody in. Names that only look like it are taken for one: to hide too much is no harm. */
const SECRET = /auth|cookie|credential|key|passw|secret|session|signature|token/i;

/** None of which the name does not say it. */
const NONE: readonly string[] = Object.freeze([]);

/**
 * Whether what a header says is nobody's business: not shown, in no list of names, and in no store in the clear. `named` are names
 * in lower case of others that carry secrets here.
 */
export function isSecretHeader(name: string, named = NONE): boolean {
  return SECRET.test(name) || isAmong(name, named);
}

/** To servers that know no difference between dashes and underscores (CGI, WSGI) both are one name. All in lower case. */
export function isAmong(name: string, named: readonly string[]): boolean {
  return named.includes(name) || named.includes(name.replaceAll('_', '-'));
}
