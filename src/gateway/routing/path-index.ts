import type { PathTemplate } from './path-template.js';

/** Something at a path. Of several that fit, the one of the lowest order is meant. */
export interface Placed {
  readonly order: number;
  readonly template: PathTemplate;
}

class Node<T extends Placed> {
  readonly literals = new Map<string, Node<T>>();
  hole: Node<T> | undefined = undefined;
  /** By order, as they were added: those that end here, and those that go on with anything. */
  readonly ends: T[] = [];
  readonly open: T[] = [];
  /** The lowest order below. */
  readonly least: number;

  constructor(least: number) {
    this.least = least;
  }
}

/** Finds what stands at a path, part by part: what it costs depends on the path, hardly on how many there are. */
export class PathIndex<T extends Placed> {
  #root: Node<T> | undefined = undefined;

  /** In the order of their numbers. */
  add(entry: T): void {
    const { template, order } = entry;
    this.#root ??= new Node(order);
    let node = this.#root;
    for (const part of template.parts) node = childOf(node, part, order);
    (template.isOpen ? node.open : node.ends).push(entry);
  }

  /** The first that fits and is accepted, if it comes before `before`. */
  find(parts: readonly string[], accepts: (entry: T) => boolean, before?: T): T | undefined {
    return this.#root === undefined ? before : search(this.#root, parts, 0, accepts, before);
  }
}

function childOf<T extends Placed>(node: Node<T>, part: string | undefined, order: number): Node<T> {
  if (part === undefined) {
    node.hole ??= new Node(order);
    return node.hole;
  }
  let child = node.literals.get(part);
  if (child === undefined) {
    child = new Node(order);
    node.literals.set(part, child);
  }
  return child;
}

function search<T extends Placed>(
  node: Node<T>,
  parts: readonly string[],
  at: number,
  accepts: (entry: T) => boolean,
  before: T | undefined,
): T | undefined {
  if (before !== undefined && node.least >= before.order) return before;
  let best = firstOf(node.open, accepts, before);
  if (at === parts.length) return firstOf(node.ends, accepts, best);
  const literal = node.literals.get(parts[at]!);
  if (literal !== undefined) best = search(literal, parts, at + 1, accepts, best);
  return node.hole === undefined ? best : search(node.hole, parts, at + 1, accepts, best);
}

function firstOf<T extends Placed>(
  entries: readonly T[],
  accepts: (entry: T) => boolean,
  before: T | undefined,
): T | undefined {
  for (const entry of entries) {
    if (before !== undefined && entry.order >= before.order) return before;
    if (accepts(entry)) return entry;
  }
  return before;
}
