/** Longer texts are of files with hundreds of mistakes. */
const MOST_LETTERS = 4_000;

/**
 * What is wrong with settings, for logs and for readers who need not know them: where it is and what is wanted, and not
 * what stands there. Somebody may have written a key in the clear, or a password into a URL.
 */
export function shownProblem(message: string): string {
  const lines = message
    .split('\n')
    .map((line) => line.replace(/, got .*$/, '').replaceAll(/\/\/[^/\s"]*@/g, '//***@'));
  return lines.join('\n').slice(0, MOST_LETTERS);
}
