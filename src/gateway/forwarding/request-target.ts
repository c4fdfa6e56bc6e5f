/** What a request asks for: a path with its query, and the host that it is asked of. */
export interface RequestTarget {
  readonly path: string;
  readonly host: string | undefined;
}

/** A name or address with a port, perhaps. Nothing that a log, a link or a header could be broken with. */
const HOST = /^[A-Za-z0-9._~!$&'()*+,;=%-]+(?::\d{0,5})?$|^\[[0-9A-Fa-f:.]+\](?::\d{0,5})?$/;

export function isHost(host: string): boolean {
  return host.length <= 255 && HOST.test(host);
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
