import { addField, type Http2Fields } from '../../wire/index.js';

/** What `writeHead` may be given: a flat list, pairs, or an object. What it says is said in place of what was set before. */
export function addGiven(fields: Http2Fields, given: unknown): void {
  if (given === undefined || given === null) return;
  const pairs = toPairs(given as object);
  for (const [name] of pairs) delete fields[name.toLowerCase()];
  for (const [name, value] of pairs) for (const each of [value].flat()) addField(fields, name, String(each));
}

function toPairs(given: object): [string, unknown][] {
  if (!Array.isArray(given)) return Object.entries(given).filter(([, value]) => value !== undefined);
  if (Array.isArray(given[0])) return given as [string, unknown][];
  const pairs: [string, unknown][] = [];
  for (let i = 0; i + 1 < given.length; i += 2) pairs.push([String(given[i]), given[i + 1]]);
  return pairs;
}
