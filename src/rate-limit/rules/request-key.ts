import { createHash } from 'node:crypto';
import { currentRequest } from '../../context/index.js';
import type { ClientAddress } from './client-address.js';
import { headerName } from './request-match.js';
import type { RequestView } from './request-view.js';

/** Whose requests are counted together, or a function that says so. */
export type KeyPart =
  | 'all'
  | 'ip'
  | 'api-key'
  | 'customer'
  | 'route'
  | 'method'
  | `header:${string}`
  | ((request: RequestView) => string | undefined);

export type KeyOf = (request: RequestView) => string;

/** What all share who have none, such as those who send no API key: leaving it out is no way around a limit. */
const MISSING = '-';

/** Longer ones are hashed: who may send 8 kB of API key must not decide how much memory a key takes. */
const MOST_CHARACTERS = 128;

export interface KeySources {
  readonly address: ClientAddress;
  /** The path template of the rule, or what it is called otherwise. */
  readonly route: string;
  /** The header that carries an API key. */
  readonly apiKeyHeader: string;
}

/** One part, or several together: `['api-key', 'route']` is a limit for each key on each route. */
export function compileKey(field: string, given: KeyPart | readonly KeyPart[], sources: KeySources): KeyOf {
  const parts = (Array.isArray(given) ? given : [given]) as readonly KeyPart[];
  if (parts.length === 0) throw new RangeError(`${field} must name at least one part, got none`);
  const reads = parts.map((part) => readerOf(field, part, sources));
  if (reads.length === 1) return (request) => written(reads[0]!(request));
  // A bar within a part would let two combinations look alike.
  return (request) => reads.map((read) => written(read(request)).replaceAll('|', '%7C')).join('|');
}

type Read = (request: RequestView) => string | undefined;

function readerOf(field: string, part: KeyPart, { address, route, apiKeyHeader }: KeySources): Read {
  if (typeof part === 'function') return part;
  switch (part) {
    case 'all':
      return () => 'all';
    case 'ip':
      return (request) => address.of(request);
    case 'method':
      return ({ method }) => method;
    case 'route':
      return () => route;
    case 'api-key':
      return (request) => request.header(apiKeyHeader);
    case 'customer':
      return () => currentRequest()?.customer;
    default:
      return headerReader(field, part);
  }
}

function headerReader(field: string, part: string): Read {
  if (typeof part === 'string' && part.startsWith('jwt:')) {
    throw new RangeError(
      `${field} must not be ${part}: verify the token, and give a function that returns its claim`,
    );
  }
  if (typeof part !== 'string' || !part.startsWith('header:')) {
    const known = 'all, ip, api-key, customer, route, method, header:<name> or a function';
    throw new RangeError(`${field} must be one of ${known}, got ${JSON.stringify(part)}`);
  }
  const name = headerName(field, part.slice('header:'.length));
  return (request) => request.header(name);
}

function written(value: string | undefined): string {
  if (value === undefined || value === '') return MISSING;
  const text = String(value);
  return text.length <= MOST_CHARACTERS ? text : `#${createHash('sha256').update(text).digest('base64url')}`;
}
