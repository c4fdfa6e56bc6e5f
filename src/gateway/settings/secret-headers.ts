/** What headers are called that let somebody in. Names that only look like it are taken for one: to hide too much is no harm. */
const SECRET = /auth|cookie|credential|key|passw|secret|session|signature|token/i;

/** Whether what a header says is nobody's business: not shown, and in no list of names. */
export function isSecretHeader(name: string): boolean {
  return SECRET.test(name);
}
