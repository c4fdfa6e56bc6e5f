import { withDefaults } from '../../core/check.js';
import { PathTemplate } from './path-template.js';
import { hostIn, type RequestView } from './request-view.js';

/** Which requests a rule is for: those for which all that is given holds. */
export interface MatchOptions {
  /** One or several. */
  readonly method?: string | readonly string[] | undefined;
  /** `/users/:id`, `/static/*` or a plain path; without a query. */
  readonly path?: string | undefined;
  /** Without a port. */
  readonly host?: string | undefined;
  /** A header that is there, whatever it says. */
  readonly header?: string | undefined;
}

/** Nothing given: a rule is for all requests. */
const MATCH_DEFAULTS: MatchOptions = Object.freeze({
  method: undefined,
  path: undefined,
  host: undefined,
  header: undefined,
});

export type Matches = (request: RequestView) => boolean;

/** A header's name as it is looked up. */
export function headerName(field: string, name: unknown): string {
  if (typeof name === 'string' && /^[\w!#$%&'*+.^`|~-]{1,128}$/.test(name)) return name.toLowerCase();
  throw new RangeError(`${field} must be the name of a header, got ${JSON.stringify(name)}`);
}

export function compileMatch(field: string, options: MatchOptions | undefined): Matches {
  const given = withDefaults(field, MATCH_DEFAULTS, options);
  const checks: Matches[] = [];
  if (given.method !== undefined) checks.push(methodIs(`${field}.method`, given.method));
  if (given.path !== undefined) {
    const template = new PathTemplate(`${field}.path`, given.path);
    checks.push(({ url }) => template.matches(url));
  }
  if (given.host !== undefined) checks.push(hostIs(`${field}.host`, given.host));
  if (given.header !== undefined) {
    const name = headerName(`${field}.header`, given.header);
    checks.push((request) => request.header(name) !== undefined);
  }
  return (request) => checks.every((check) => check(request));
}

function methodIs(field: string, given: string | readonly string[]): Matches {
  const names = (Array.isArray(given) ? given : [given]) as readonly unknown[];
  if (names.length === 0 || !names.every((name) => typeof name === 'string' && /^[\w-]+$/.test(name))) {
    throw new RangeError(`${field} must be a method such as POST, or several, got ${JSON.stringify(given)}`);
  }
  const methods = new Set(names.map((name) => String(name).toUpperCase()));
  // Whoever answers GET answers HEAD, at the same cost.
  if (methods.has('GET')) methods.add('HEAD');
  return ({ method }) => methods.has(method.toUpperCase());
}

function hostIs(field: string, given: string): Matches {
  if (typeof given !== 'string' || !/^[\w.-]+$|^\[[\da-f:.]+\]$/i.test(given)) {
    throw new RangeError(`${field} must be a host without a port, got ${JSON.stringify(given)}`);
  }
  const host = given.toLowerCase();
  return (request) => hostsOf(request).includes(host);
}

/** Where a request may say it is for: frameworks believe one or the other. */
function hostsOf(request: RequestView): string[] {
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?([^/?#]*)/i.exec(request.url)?.[1];
  return [request.header('host'), hostIn(request.incoming), absolute].map((said = '') =>
    // A dot at the end names the same host.
    said.toLowerCase().replace(/\.?(?::\d*)?$/, ''),
  );
}
