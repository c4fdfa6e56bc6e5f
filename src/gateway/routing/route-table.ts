import { patternsFor } from './host-pattern.js';
import { PathIndex, type Placed } from './path-index.js';
import type { RequestPath } from './request-path.js';
import { type Asked, type RouteConditions, RouteMatch } from './route-match.js';

interface Entry<T> extends Placed {
  readonly match: RouteMatch;
  readonly route: T;
}

/**
 * No route fits; its path has routes for these methods alone; or somebody else would read the path so that it is
 * another route.
 */
export type NoRoute = 'not-found' | 'ambiguous' | { readonly allow: readonly string[] };

/** Finds the route of a request: of several that fit, the first that was given. */
export class RouteTable<T extends object> {
  readonly #byHost = new Map<string, PathIndex<Entry<T>>>();
  readonly #anyHost = new PathIndex<Entry<T>>();

  constructor(routes: readonly (readonly [RouteConditions, T])[]) {
    for (const [order, [conditions, route]] of routes.entries()) {
      const match = new RouteMatch(conditions);
      const entry = { order, template: match.template, match, route };
      if (match.hosts === undefined) this.#anyHost.add(entry);
      else for (const host of match.hosts) this.#indexOf(host).add(entry);
    }
  }

  /** Some routes are for some hosts only. */
  get looksAtHosts(): boolean {
    return this.#byHost.size > 0;
  }

  /** `host`: as `plainHost` has it; undefined when none was said, or no route asks for it. */
  find(asked: Asked, host: string | undefined, path: RequestPath): T | NoRoute {
    const accepts = ({ match }: Entry<T>) => match.accepts(asked);
    const found = this.#search(host, path.parts, accepts);
    for (const other of path.others) {
      if (this.#search(host, other, accepts) !== found) return 'ambiguous';
    }
    return found?.route ?? this.#none(asked, host, path);
  }

  #none(asked: Asked, host: string | undefined, path: RequestPath): NoRoute {
    const allow = new Set<string>();
    this.#search(host, path.parts, ({ match }) => {
      if (match.acceptsHeaders(asked)) for (const method of match.methods ?? []) allow.add(method);
      return false;
    });
    return allow.size === 0 ? 'not-found' : { allow: [...allow].sort() };
  }

  #search(
    host: string | undefined,
    parts: readonly string[],
    accepts: (entry: Entry<T>) => boolean,
  ): Entry<T> | undefined {
    let best = this.#anyHost.find(parts, accepts);
    if (host === undefined || this.#byHost.size === 0) return best;
    for (const pattern of patternsFor(host)) {
      const index = this.#byHost.get(pattern);
      if (index !== undefined) best = index.find(parts, accepts, best);
    }
    return best;
  }

  #indexOf(host: string): PathIndex<Entry<T>> {
    let index = this.#byHost.get(host);
    if (index === undefined) {
      index = new PathIndex();
      this.#byHost.set(host, index);
    }
    return index;
  }
}
