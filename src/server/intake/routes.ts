import { checkNonNegative, checkOneOf } from '../../core/check.js';
import { criticalityRank } from '../../core/criticality.js';
import { CRITICALITIES, type Criticality, DEFAULT_CRITICALITY } from '../../core/index.js';

/** What is known of a group of requests beforehand. */
export interface RouteOptions {
  /** `/users/:id`, `/static/*` or a plain path; without a query. */
  readonly path: string;
  /** Any, when not given. */
  readonly method?: string;
  /** In reports; `GET /users/:id` when not given. */
  readonly name?: string;
  /** Holds whatever the request says. */
  readonly criticality?: Criticality;
  /** CPU-milliseconds one is expected to take: what it is charged where nothing was measured. */
  readonly costMs?: number;
  /** Never refused, never queued, never counted against a limit. For what must work always, and costs nothing. */
  readonly exempt?: boolean;
}

export class Route {
  readonly name: string;
  readonly criticality: Criticality | undefined;
  readonly costMs: number | undefined;
  readonly isExempt: boolean;
  readonly method: string | undefined;
  readonly segments: readonly string[];
  readonly #looseSegments: readonly string[];

  constructor({ path, method, name, criticality, costMs, exempt }: RouteOptions) {
    if (typeof path !== 'string' || !path.startsWith('/') || path.includes('?')) {
      throw new RangeError(`a route's path must begin with / and have no query, got ${JSON.stringify(path)}`);
    }
    if (criticality !== undefined) checkOneOf(`criticality of ${path}`, criticality, CRITICALITIES);
    if (costMs !== undefined) checkNonNegative(`costMs of ${path}`, costMs);
    this.method = method?.toUpperCase();
    this.name = name ?? (this.method === undefined ? path : `${this.method} ${path}`);
    this.criticality = criticality;
    this.costMs = costMs;
    this.isExempt = exempt === true;
    this.segments = path.slice(1).split('/');
    this.#looseSegments = this.segments.filter((segment) => segment !== '').map((each) => each.toLowerCase());
    const star = this.segments.indexOf('*');
    if (star >= 0 && star < this.segments.length - 1) {
      throw new RangeError(`* must be the last part of a route's path, got ${JSON.stringify(path)}`);
    }
  }

  /** Does a path, cut at its slashes, belong here? */
  matches(method: string, parts: readonly string[]): boolean {
    return this.#fits(this.segments, method, parts);
  }

  /** The same for parts in lower case, none of them empty. */
  matchesLoosely(method: string, parts: readonly string[]): boolean {
    return this.#fits(this.#looseSegments, method, parts);
  }

  #fits(segments: readonly string[], method: string, parts: readonly string[]): boolean {
    if (this.method !== undefined && this.method !== method) return false;
    for (let i = 0; i < segments.length; i++) {
      const segment = segments[i]!;
      if (segment === '*') return i < parts.length;
      if (i >= parts.length || (!segment.startsWith(':') && segment !== parts[i])) return false;
    }
    return parts.length === segments.length;
  }
}

/** Whatever no route was given for. */
const OTHER = new Route({ path: '/*', name: 'other' });

/** Letters, digits and single slashes have one reading. */
const AMBIGUOUS = /^[^/]|\/[./]|[%\\;#A-Z]|.\/$/;

/** As frameworks may read it: any case, with or without the last slash, escapes resolved, however often. */
function loosened(path: string): string[] {
  const parts: string[] = [];
  const plain = decoded(path)
    .replace(/[;#].*$/s, '')
    .toLowerCase();
  for (const part of plain.split(/[/\\]+/)) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts;
}

/** More than this is written by nobody who means well. */
const MOST_DECODINGS = 4;

/** One by one: a single bad escape must not keep the others from being read. */
function decoded(path: string): string {
  let text = path;
  for (let i = 0; i < MOST_DECODINGS && text.includes('%'); i++) {
    text = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  }
  return text;
}

/** `http://host/path` without its host; and `//host/path`, which some take for the same. */
const AUTHORITY = /^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/]*/i;

function lessFavoured(one: Route, other: Route): Route {
  if (one.isExempt || other.isExempt) return one.isExempt ? (other.isExempt ? OTHER : other) : one;
  return rankOf(one) <= rankOf(other) ? one : other;
}

function rankOf({ criticality = DEFAULT_CRITICALITY }: Route): number {
  return criticalityRank(criticality);
}

/** No path of a real service has more parts; what has is matched by its first ones. */
const MOST_PARTS = 32;

/**
 * Finds the route of a request: of several that fit, the first given. A path that frameworks read in different ways
 * (`/static/../admin`, `/%61dmin`, `/Admin/`) is looked up as it stands and as it may be meant, and gets what
 * is less of a favour: nobody is let in, or raised, by a way of writing.
 */
export class Routes {
  readonly #routes: readonly Route[];
  /** Plain paths, which most are, are found without looking at all of them. */
  readonly #plain = new Map<string, Route>();

  constructor(given: readonly RouteOptions[] = []) {
    this.#routes = given.map((each) => new Route(each));
    let isPlainSoFar = true;
    for (const [at, route] of this.#routes.entries()) {
      // One that fits by pattern and was given earlier goes first: behind it, nothing may be found the short way.
      isPlainSoFar &&= !route.segments.some((segment) => segment === '*' || segment.startsWith(':'));
      if (isPlainSoFar && route.method === undefined && !this.#plain.has(given[at]!.path))
        this.#plain.set(given[at]!.path, route);
    }
  }

  /** The same for a path that is known beforehand, under a name of its own unless it has a route. */
  known(method: string, path: string): Route {
    const route = this.find(method, path);
    return route === OTHER ? new Route({ path, name: path }) : route;
  }

  find(method: string, url: string): Route {
    if (this.#routes.length === 0 || url === '*') return OTHER;
    const query = url.indexOf('?');
    const path = query < 0 ? url : url.slice(0, query);
    let route = this.#findPath(method, path);
    if (!AMBIGUOUS.test(path)) return route;
    for (const reading of [path, path.replace(AUTHORITY, '')]) {
      const parts = loosened(reading);
      const other = this.#routes.find((each) => each.matchesLoosely(method, parts)) ?? OTHER;
      if (other !== route) route = lessFavoured(route, other);
    }
    return route;
  }

  #findPath(method: string, path: string): Route {
    if (!path.startsWith('/')) return OTHER;
    const plain = this.#plain.get(path);
    if (plain !== undefined && this.#isFirst(plain, method)) return plain;
    const parts = path.slice(1).split('/', MOST_PARTS);
    return this.#routes.find((route) => route.matches(method, parts)) ?? OTHER;
  }

  /** What requests of routes are said to cost, by their names. */
  hints(): Record<string, number> {
    const hinted = this.#routes.filter(({ costMs }) => costMs !== undefined);
    return Object.fromEntries(hinted.map(({ name, costMs }) => [name, costMs!]));
  }

  /** One for this method alone may stand before it. */
  #isFirst(plain: Route, method: string): boolean {
    for (const route of this.#routes) {
      if (route === plain) return true;
      if (route.method === method) return false;
    }
    return true;
  }
}
