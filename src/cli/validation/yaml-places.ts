import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type Node } from 'yaml';

/** Where a path leads in a file of YAML, as offsets into its text. */
export interface Place {
  /** Of the key, or of the entry of a list. */
  readonly key: number;
  readonly value: number;
}

/** Of a document whose keys are text, as far as the path leads: what is not there is looked for where it should be. */
export function placeOf(document: Document, path: readonly PropertyKey[]): Place {
  const start = startOf(document.contents, 0);
  let place: Place = { key: start, value: start };
  let node = follow(document, document.contents);
  for (const step of path) {
    const found = stepInto(node, step, place);
    if (found === undefined) return place;
    place = found.place;
    node = follow(document, found.node);
  }
  return place;
}

/** An alias stands for what its anchor names: that is where there is something to mend. */
function follow(document: Document, node: unknown): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}

function stepInto(
  node: unknown,
  step: PropertyKey,
  { value }: Place,
): { node: unknown; place: Place } | undefined {
  if (isSeq(node) && typeof step === 'number' && step < node.items.length) {
    const item = node.items[step];
    const at = startOf(item, value);
    return { node: item, place: { key: at, value: at } };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && key.value === String(step));
  if (pair === undefined) return undefined;
  const key = startOf(pair.key, value);
  // `key:` with nothing behind it has no value to look at.
  const isEmpty = isScalar(pair.value) && pair.value.source === '';
  return { node: pair.value, place: { key, value: isEmpty ? key : startOf(pair.value, key) } };
}

function startOf(node: unknown, otherwise: number): number {
  // Everything that comes out of the parser has a range.
  return isNode(node) ? (node as Node).range![0] : otherwise;
}
