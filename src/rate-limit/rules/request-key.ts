import { currentRequest } from '../../context/index.js';
import type { JwtClaims } from '../jwt/jwt-claims.js';
import { isThenable, type MaybePromise } from '../maybe-promise.js';
import type { ClientAddress } from './client-address.js';
import { digestOf, shortened } from './key-text.js';
import { headerName } from './request-match.js';
import type { RequestView } from './request-view.js';
import { isSecretHeader } from './secret-header.js';

/** Whose requests are counted together, or a function that says so. */
export type KeyPart =
  | 'all'
  | 'ip'
  | 'api-key'
  | 'customer'
  | 'route'
  | 'method'
  | `header:${string}`
  | `jwt:${string}`
  | ((request: RequestView) => MaybePromise<string | undefined>);

/** At once, unless something has to be verified first. */
export type KeyOf = (request: RequestView) => MaybePromise<string>;

/** What all share who have none, such as those who send no API key: leaving it out is no way around a limit. */
const MISSING = '-';

export interface KeySources {
  readonly address: ClientAddress;
  /** The path template of the rule, or what it is called otherwise. */
  readonly route: string;
  /** The header that carries an API key. */
  readonly apiKeyHeader: string;
  /** Names in lower case of headers that carry secrets, said or not by their names. */
  readonly secretHeaders: readonly string[];
  /** Undefined: nobody has said how tokens are verified. */
  readonly jwt: JwtClaims | undefined;
}

/** One part, or several together: `['api-key', 'route']` is a limit for each key on each route. */
export function compileKey(field: string, given: KeyPart | readonly KeyPart[], sources: KeySources): KeyOf {
  const parts = (Array.isArray(given) ? given : [given]) as readonly KeyPart[];
  if (parts.length === 0) throw new RangeError(`${field} must name at least one part, got none`);
  const reads = parts.map((part) => readerOf(field, part, sources));
  return reads.length === 1 ? keyOfOne(reads[0]!) : keyOfAll(reads);
}

/** As most have it: no lists for the sake of one. */
function keyOfOne(read: Reader): KeyOf {
  return (request) => {
    const value = read(request);
    return isThenable(value) ? quiet(Promise.resolve(value).then(written)) : written(value);
  };
}

function keyOfAll(reads: readonly Reader[]): KeyOf {
  return (request) => {
    const values = reads.map((read) => quiet(read(request)));
    return values.some(isThenable) ? quiet(Promise.all(values).then(joined)) : joined(values as Read[]);
  };
}

type Read = string | undefined;
type Reader = (request: RequestView) => MaybePromise<Read>;

function readerOf(field: string, part: KeyPart, sources: KeySources): Reader {
  const { address, route, apiKeyHeader } = sources;
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
      return (request) => hidden(request.header(apiKeyHeader));
    case 'customer':
      return () => currentRequest()?.customer;
    default:
      return namedReader(field, part, sources);
  }
}

function namedReader(field: string, part: unknown, { secretHeaders, jwt }: KeySources): Reader {
  const [, kind, rest = ''] = /^(header|jwt):(.+)$/s.exec(typeof part === 'string' ? part : '') ?? [];
  if (kind === 'header') {
    const name = headerName(field, rest);
    // Who has it may act for somebody: it is in no store, no list of keys and no log in the clear.
    return isSecretHeader(name, secretHeaders)
      ? (request) => hidden(request.header(name))
      : (request) => request.header(name);
  }
  if (kind === 'jwt') {
    if (jwt !== undefined) return jwt.reader(rest);
    throw new RangeError(
      `${field} must not be ${part} without the option jwt, which says how to verify tokens`,
    );
  }
  const known = 'all, ip, api-key, customer, route, method, header:<name>, jwt:<claim> or a function';
  throw new RangeError(`${field} must be one of ${known}, got ${JSON.stringify(part)}`);
}

/** Something else may throw before anybody waits for it: its own failure is then nobody's, and must not end the process. */
function quiet<T>(value: MaybePromise<T>): MaybePromise<T> {
  if (isThenable(value)) value.then(undefined, () => {});
  return value;
}

function hidden(secret: Read): Read {
  return secret === undefined || secret === '' ? undefined : digestOf(secret);
}

/** A bar within a part would let two combinations look alike, and so would what stands for one. */
function joined(values: readonly Read[]): string {
  return values.map((value) => written(value).replaceAll(/[%|]/g, encodeURIComponent)).join('|');
}

function written(value: Read): string {
  return value === undefined || value === '' ? MISSING : shortened(String(value));
}
