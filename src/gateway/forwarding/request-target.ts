import { isIPv6 } from 'node:net';

/** What a request asks for: a path with its query, and the host that it is asked of. */
export interface RequestTarget {
  readonly path: string;
  readonly host: string | undefined;
}

/**
 * A name or address with a port, perhaps. Of a name only what names of hosts have (RFC 1123, and underscores): commas,
 * which RFC 3986 allows, are a list of hosts to who is told by `X-Forwarded-Host`, and what is escaped another name.
 */
const HOST = /^[\w-]+(?:\.[\w-]+)*\.?(?::\d{0,5})?$/;

const BRACKETED = /^\[([0-9A-Fa-f:.]+)\](?::\d{0,5})?$/;

const MOST_PORT = 65_535;

const COLON = 0x3a;

/** Asked of each request. Only five digits can be too many for a port: others are not made a number of. */
export function isHost(host: string): boolean {
  if (host.length > 255) return false;
  if (host.startsWith('[')) return isIPv6(BRACKETED.exec(host)?.[1] ?? '') && portOf(host) <= MOST_PORT;
  return HOST.test(host) && (host.charCodeAt(host.length - 6) !== COLON || portOf(host) <= MOST_PORT);
}

/** 0 when there is none. */
function portOf(host: string): number {
  const at = host.lastIndexOf(':');
  return at < 0 || host.endsWith(']') ? 0 : Number(host.slice(at + 1));
}

/** As it is sent (RFC 9112, 3.2.2): a scheme, a host and what follows. */
const ABSOLUTE = /^https?:\/\/([^/?#]*)([^#]*)$/i;

/**
 * Reads the target of a request line (RFC 9112, 3.2) together with the `Host` header. Undefined: it makes no sense, or
 * the two name different hosts: whoever is behind us might believe the other one. A target of `*` stays as it is.
 */
export function requestTarget(url: string, host: string | undefined): RequestTarget | undefined {
  if (url.charCodeAt(0) === 0x2f) return url.includes('#') ? undefined : { path: url, host };
  if (url === '*') return { path: url, host };
  const [, authority, rest] = ABSOLUTE.exec(url) ?? [];
  if (authority === undefined || rest === undefined || !isHost(authority)) return undefined;
  if (host !== undefined && host.toLowerCase() !== authority.toLowerCase()) return undefined;
  return { path: rest.startsWith('/') ? rest : `/${rest}`, host: authority };
}
