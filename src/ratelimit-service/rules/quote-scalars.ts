import { isScalar, parseDocument, Scalar, visit } from 'yaml';

/** What is text whatever it looks like: `value: 1.10` is a version, and `value: 007` no seven. */
const TEXTS = ['domain', 'key', 'value', 'name'];

/**
 * The text with quotes around what would be read as a number or as true: Envoy's service takes these as they are written.
 * Lines stay where they are.
 */
export function quoteScalars(text: string): string {
  const places: { start: number; end: number }[] = [];
  visit(parseDocument(text, { logLevel: 'silent', uniqueKeys: false }), {
    Pair: (_, { key, value }) => {
      if (!isScalar(key) || !TEXTS.includes(String(key.value))) return;
      if (!isScalar(value) || value.type !== Scalar.PLAIN || !value.range) return;
      if (typeof value.value === 'number' || typeof value.value === 'boolean')
        places.push({ start: value.range[0], end: value.range[1] });
    },
  });
  // From the end, so that what is before stays where it is.
  return places
    .toSorted((a, b) => b.start - a.start)
    .reduce(
      (said, { start, end }) => `${said.slice(0, start)}"${said.slice(start, end)}"${said.slice(end)}`,
      text,
    );
}
