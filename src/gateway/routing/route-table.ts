import { patternsFor } from './host-pattern.js';
import { PathIndex, type Placed } from './path-index.js';
import type { RequestPath } from './request-path.js';
import { type RouteConditions, RouteMatch } from './route-match.js';

/** What a route is chosen by. */
export interface RouteQuestion {
  readonly method: string;
  /** As `plainHost` has it; undefined when none was said. */
  readonly host: string | undefined;
  readonly path: RequestPath;
  /** By its name in lower case. */
  header(name: string): string | undefined;
}

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

  find(question: RouteQuestion): T | NoRoute {
    const accepts = ({ match }: Entry<T>) => match.accepts(question);
    const found = this.#search(question.host, question.path.parts, accepts);
    for (const other of question.path.others) {
      if (this.#search(question.host, other, accepts) !== found) return 'ambiguous';
    }
    return found?.route ?? this.#none(question);
  }

  #none(question: RouteQuestion): NoRoute {
    const allow = new Set<string>();
    this.#search(question.host, question.path.parts, ({ match }) => {
      if (match.acceptsHeaders(question)) for (const method of match.methods ?? []) allow.add(method);
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
