/** Fields of a message as Node's HTTP/2 takes them: names in lower case, and lists for those that come more than once. */
export type Http2Fields = Record<string, string | string[]>;

/** Belong to connections of HTTP/1.1 (RFC 9113, 8.2.2). Whatever says them here speaks to both. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

/** Whether a name, in lower case, has no place in HTTP/2. */
export function isOfConnection(name: string): boolean {
  return OF_CONNECTION.has(name);
}

/** Adds one, if it has a place there; a name that comes again gets another line. */
export function addField(fields: Http2Fields, given: string, value: string): void {
  const name = given.toLowerCase();
  if (isOfConnection(name) || name.startsWith(':')) return;
  const before = fields[name];
  if (before === undefined) fields[name] = value;
  else if (Array.isArray(before)) before.push(value);
  else fields[name] = [before, value];
}

/** The first of each: Node does not send some names twice, which others do. */
export function withoutRepeats(fields: Http2Fields): Http2Fields {
  const first: Http2Fields = {};
  for (const [name, value] of Object.entries(fields))
    first[name] = name === 'set-cookie' || !Array.isArray(value) ? value : value[0]!;
  return first;
}
