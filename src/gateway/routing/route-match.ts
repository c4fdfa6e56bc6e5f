import { coversHost } from './host-pattern.js';
import { PathTemplate } from './path-template.js';

/** Which requests a route is for: as settings have it. */
export interface RouteConditions {
  readonly host?: string | readonly string[] | undefined;
  readonly path: string;
  readonly methods?: readonly string[] | undefined;
  readonly headers?: Readonly<Record<string, string | boolean>> | undefined;
}

/** What it is asked about. */
export interface Asked {
  readonly method: string;
  /** By its name in lower case. */
  header(name: string): string | undefined;
}

/** The same, ready to be asked. */
export class RouteMatch {
  /** Undefined: any. */
  readonly hosts: readonly string[] | undefined;
  readonly template: PathTemplate;
  readonly methods: ReadonlySet<string> | undefined;
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string | boolean])[];

  constructor({ host, path, methods, headers = {} }: RouteConditions) {
    this.hosts = host === undefined ? undefined : [...new Set([host].flat().map((one) => one.toLowerCase()))];
    this.template = new PathTemplate(path);
    this.methods = methods && new Set(methods);
    // Whoever answers GET answers HEAD.
    if (methods?.includes('GET')) (this.methods as Set<string>).add('HEAD');
    this.headers = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  }

  accepts(asked: Asked): boolean {
    if (this.methods !== undefined && !this.methods.has(asked.method)) return false;
    return this.headers.length === 0 || this.acceptsHeaders(asked);
  }

  acceptsHeaders(asked: Asked): boolean {
    return this.headers.every(([name, wanted]) => {
      const value = asked.header(name);
      return typeof wanted === 'boolean' ? (value !== undefined) === wanted : value === wanted;
    });
  }

  /** Whether each request that fits the other fits this, too. */
  covers(other: RouteMatch): boolean {
    return (
      this.template.covers(other.template) &&
      this.#coversMethods(other) &&
      this.#coversHeaders(other) &&
      this.#coversHosts(other)
    );
  }

  #coversMethods({ methods }: RouteMatch): boolean {
    if (this.methods === undefined) return true;
    return methods !== undefined && [...methods].every((method) => this.methods!.has(method));
  }

  /** What this one wants, the other must want in the same words, or in narrower ones. */
  #coversHeaders({ headers }: RouteMatch): boolean {
    return this.headers.every(([name, wanted]) =>
      headers.some(([other, value]) => {
        if (other !== name) return false;
        return value === wanted || (wanted === true && typeof value === 'string');
      }),
    );
  }

  #coversHosts({ hosts }: RouteMatch): boolean {
    if (this.hosts === undefined) return true;
    return hosts?.every((narrow) => this.hosts!.some((wide) => coversHost(wide, narrow))) ?? false;
  }
}
