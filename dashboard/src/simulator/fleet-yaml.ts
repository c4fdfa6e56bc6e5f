/** Wider than this, a line is broken into several. */
const WIDTH = 100;

/** A word that YAML takes for nothing but text. */
const PLAIN = /^[A-Za-z][\w-]*$/;
const TAKEN = new Set(['true', 'false', 'null', 'yes', 'no', 'on', 'off']);

/** Plain data as YAML, as people write it: what fits into a line stands in one. */
export function toYaml(value: unknown): string {
  return `${blockOf(value, '').join('\n')}\n`;
}

/** The lines of a value below its key. */
function blockOf(value: unknown, indent: string): string[] {
  if (!isCollection(value) || sizeOf(value) === 0) return [indent + flowOf(value)];
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      const line = `${indent}- ${flowOf(item)}`;
      if (line.length <= WIDTH || !isCollection(item)) return [line];
      const [first, ...rest] = blockOf(item, `${indent}  `);
      return [`${indent}- ${first!.trimStart()}`, ...rest];
    });
  }
  return entriesOf(value).flatMap(([key, member]) => {
    const line = `${indent}${textOf(key)}: ${flowOf(member)}`;
    // The first level is always written out: it is what one looks for.
    const isSplit = isCollection(member) && sizeOf(member) > 0 && (line.length > WIDTH || indent === '');
    return isSplit ? [`${indent}${textOf(key)}:`, ...blockOf(member, `${indent}  `)] : [line];
  });
}

/** On one line. */
function flowOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flowOf).join(', ')}]`;
  if (isCollection(value)) {
    const members = entriesOf(value).map(([key, member]) => `${textOf(key)}: ${flowOf(member)}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  return typeof value === 'string' ? textOf(value) : String(value ?? null);
}

function textOf(text: string): string {
  return PLAIN.test(text) && !TAKEN.has(text.toLowerCase()) ? text : JSON.stringify(text);
}

function isCollection(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** What is undefined is not there, as in JSON. */
function entriesOf(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined);
}

function sizeOf(value: object): number {
  return Array.isArray(value) ? value.length : entriesOf(value).length;
}
