import { isHeaderName, isHeaderValue } from '../../wire/header-chars.js';
import { isOfConnection } from '../../wire/index.js';

/** A request as HTTP/1.1 would have it: everything behind reads one form. */
export interface RequestFields {
  readonly method: string;
  readonly url: string;
  /** Names and values in turn, with `host` first. */
  readonly rawHeaders: string[];
  /** How long its sender waits, as gRPC says it; undefined: it is no call of gRPC's, or waits for ever. */
  readonly grpcTimeout: string | undefined;
  readonly isGrpc: boolean;
}

const GRPC = /^application\/grpc(?:[+;]|$)/i;
const UPPER = /[A-Z]/;
const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}$/;

class Reading {
  method: string | undefined = undefined;
  path: string | undefined = undefined;
  authority: string | undefined = undefined;
  scheme: string | undefined = undefined;
  host: string | undefined = undefined;
  cookie: string | undefined = undefined;
  hasLength = false;
  type = '';
  grpcTimeout: string | undefined = undefined;
  readonly headers: string[] = [];

  /** False: the request is malformed. */
  take(name: string, value: string): boolean {
    if (!isHeaderValue(value) || value !== value.trim()) return false;
    if (name.startsWith(':')) return this.#takePseudo(name, value);
    // Also what belongs to connections of HTTP/1.1: behind us somebody might obey it.
    if (!isHeaderName(name) || UPPER.test(name) || isOfConnection(name)) return false;
    switch (name) {
      case 'host':
        if (this.host !== undefined) return false;
        this.host = value;
        return true;
      case 'te':
        if (value !== 'trailers') return false;
        break;
      case 'cookie':
        // RFC 9113, 8.2.3: its crumbs are one header again where there is no compression.
        this.cookie = this.cookie === undefined ? value : `${this.cookie}; ${value}`;
        return true;
      case 'content-length':
        if (this.hasLength) return false;
        this.hasLength = true;
        break;
      case 'content-type':
        this.type ||= value;
        break;
      case 'grpc-timeout':
        this.grpcTimeout ??= value;
        break;
    }
    this.headers.push(name, value);
    return true;
  }

  /** Before all others, each of them once (RFC 9113, 8.3). */
  #takePseudo(name: string, value: string): boolean {
    if (this.headers.length > 0 || this.host !== undefined || this.cookie !== undefined) return false;
    switch (name) {
      case ':method':
        if (this.method !== undefined || !METHOD.test(value)) return false;
        this.method = value;
        return true;
      case ':path':
        if (this.path !== undefined || !isPath(value)) return false;
        this.path = value;
        return true;
      case ':authority':
        if (this.authority !== undefined) return false;
        this.authority = value;
        return true;
      case ':scheme':
        if (this.scheme !== undefined) return false;
        this.scheme = value;
        return true;
      default:
        // Also `:protocol`, which we do not offer.
        return false;
    }
  }
}

/** In origin form, or a star: anything else would be another request line. */
function isPath(path: string): boolean {
  return path === '*' || (path.startsWith('/') && !/[\s#]/.test(path));
}

/**
 * Reads the fields of a request (RFC 9113, 8.2 and 8.3). Node has looked at most of this; what it lets pass must not
 * depend on its version, since whoever is behind us reads lines. Undefined: it is malformed. `hasBody`: more than
 * headers may come.
 */
export function readRequestFields(fields: readonly string[], hasBody: boolean): RequestFields | undefined {
  const read = new Reading();
  for (let i = 0; i + 1 < fields.length; i += 2) if (!read.take(fields[i]!, fields[i + 1]!)) return undefined;
  const { method, path, scheme, host, authority = host, cookie, headers, type, grpcTimeout } = read;
  if (method === undefined || path === undefined || authority === undefined) return undefined;
  // Whichever of the two: proxies that end TLS in front of us send what they were asked by.
  if (scheme !== 'http' && scheme !== 'https') return undefined;
  if (path === '*' && method !== 'OPTIONS') return undefined;
  // Two names for one thing: the next hop may believe the other.
  if (host !== undefined && host.toLowerCase() !== authority.toLowerCase()) return undefined;
  const rawHeaders = ['host', authority, ...headers];
  if (cookie !== undefined) rawHeaders.push('cookie', cookie);
  // What HTTP/1.1 says of a body whose length is not known.
  if (hasBody && !read.hasLength) rawHeaders.push('transfer-encoding', 'chunked');
  const isGrpc = method === 'POST' && GRPC.test(type);
  return { method, url: path, rawHeaders, isGrpc, grpcTimeout: isGrpc ? grpcTimeout : undefined };
}
