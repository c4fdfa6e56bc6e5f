import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml';

/** Where a path leads in a file of YAML, as offsets into its text. */
export interface Place {
  /** Of the key, or of the entry of a list. */
  readonly key: number;
  readonly value: number;
}

/** The places of a document whose keys are text. */
export class Places {
  readonly #document: Document;
  /** Looked up once for each mapping: ten thousand entries of one may all be wrong. */
  readonly #pairs = new Map<YAMLMap, ReadonlyMap<string, Pair>>();

  constructor(document: Document) {
    this.#document = document;
  }

  /** As far as the path leads: what is not there is looked for where it should be. */
  of(path: readonly PropertyKey[]): Place {
    return this.#walk(path).place;
  }

  /** What stands there, aliases followed; undefined when the path leads nowhere. */
  nodeAt(path: readonly PropertyKey[]): unknown {
    const { node, isThere } = this.#walk(path);
    return isThere ? node : undefined;
  }

  #walk(path: readonly PropertyKey[]): { place: Place; node: unknown; isThere: boolean } {
    const document = this.#document;
    const start = startOf(document.contents, 0);
    let place: Place = { key: start, value: start };
    let node = follow(document, document.contents);
    for (const step of path) {
      const found = this.#stepInto(node, step, place);
      if (found === undefined) return { place, node, isThere: false };
      place = found.place;
      node = follow(document, found.node);
    }
    return { place, node, isThere: true };
  }

  #stepInto(node: unknown, step: PropertyKey, place: Place): { node: unknown; place: Place } | undefined {
    const { value } = place;
    if (isSeq(node) && typeof step === 'number' && step < node.items.length) {
      const item = node.items[step];
      const at = startOf(item, value);
      return { node: item, place: { key: at, value: at } };
    }
    // Where a list may be, its only entry may stand by itself.
    if (!isSeq(node) && step === 0) return { node, place };
    if (!isMap(node)) return undefined;
    const pair = this.#pairsOf(node).get(String(step));
    if (pair === undefined) return undefined;
    const key = startOf(pair.key, value);
    // `key:` with nothing behind it has no value to look at.
    const isEmpty = isScalar(pair.value) && pair.value.source === '';
    return { node: pair.value, place: { key, value: isEmpty ? key : startOf(pair.value, key) } };
  }

  #pairsOf(map: YAMLMap): ReadonlyMap<string, Pair> {
    const known = this.#pairs.get(map);
    if (known !== undefined) return known;
    const pairs = new Map(
      map.items.flatMap((pair) => (isScalar(pair.key) ? [[String(pair.key.value), pair] as const] : [])),
    );
    this.#pairs.set(map, pairs);
    return pairs;
  }
}

/** An alias stands for what its anchor names: that is where there is something to mend. */
function follow(document: Document, node: unknown): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}

function startOf(node: unknown, otherwise: number): number {
  // Everything that comes out of the parser has a range.
  return isNode(node) ? (node as Node).range![0] : otherwise;
}
