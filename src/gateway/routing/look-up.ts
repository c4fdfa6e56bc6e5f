import { requestTarget } from '../forwarding/index.js';
import { plainHost } from './host-pattern.js';
import type { PathTemplate } from './path-template.js';
import { type RequestPath, readPath } from './request-path.js';
import type { NoRoute, RouteTable } from './route-table.js';

/** The route of a request, and the path that it was found by. */
export interface Found<T> {
  readonly route: T;
  readonly path: RequestPath;
  /** With its question mark; empty when there is none. */
  readonly query: string;
}

/** A request line and its headers, whoever has them. */
export interface RequestLine {
  readonly method: string;
  readonly url: string;
  /** By its name in lower case. */
  header(name: string): string | undefined;
}

/** `asterisk` is for the gateway itself (RFC 9110, 9.3.7). */
export type NotFound = NoRoute | 'bad-request' | 'asterisk';

export function lookUp<T extends object>(table: RouteTable<T>, line: RequestLine): Found<T> | NotFound {
  const target = requestTarget(line.url, line.header('host'));
  if (target === undefined) return 'bad-request';
  if (target.path === '*') return 'asterisk';
  const asked = readAsked(target.path);
  if (asked === undefined) return 'bad-request';
  const { path, query } = asked;
  const host = target.host === undefined || !table.looksAtHosts ? undefined : plainHost(target.host);
  const route = table.find(line, host, path);
  return isNone(route) ? route : { route, path, query };
}

/** What a request asked for whose route is known, as that knows it. Undefined: it is no path of this template. */
export function readKnown(
  template: PathTemplate,
  url: string,
): Pick<Found<object>, 'path' | 'query'> | undefined {
  const target = requestTarget(url, undefined);
  const asked = target === undefined || target.path === '*' ? undefined : readAsked(target.path);
  return asked !== undefined && template.fits(asked.path.parts) ? asked : undefined;
}

function readAsked(text: string): Pick<Found<object>, 'path' | 'query'> | undefined {
  const at = text.indexOf('?');
  const path = readPath(at < 0 ? text : text.slice(0, at));
  return path === undefined ? undefined : { path, query: at < 0 ? '' : text.slice(at) };
}

export function isFound<T>(found: Found<T> | NotFound): found is Found<T> {
  return typeof found === 'object' && 'route' in found;
}

function isNone(found: object | NoRoute): found is NoRoute {
  return typeof found === 'string' || 'allow' in found;
}
