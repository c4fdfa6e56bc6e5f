import type { KeyObject } from 'node:crypto';
import { checkPositive, withDefaults } from '../../core/check.js';
import { headerName } from '../rules/request-match.js';
import { shownUrl } from '../rules/shown-url.js';
import { type JwtKey, PUBLIC_ALGORITHMS, publicKey, secretKey } from './jwt-key.js';

/** How tokens are verified whose claims are keys. One of `secret`, `publicKey` and `jwksUrl` must be given. */
export interface JwtOptions {
  /** For HMAC, 32 bytes at least. */
  readonly secret?: string | Uint8Array | KeyObject | undefined;
  /** PEM, JWK or KeyObject. */
  readonly publicKey?: string | KeyObject | Readonly<Record<string, unknown>> | undefined;
  /** Where the issuer publishes its keys. */
  readonly jwksUrl?: string | URL | undefined;
  /** Who must have issued a token; one of several. */
  readonly issuer?: string | readonly string[] | undefined;
  /** Whom a token must be for; one of several. */
  readonly audience?: string | readonly string[] | undefined;
  /** Fewer than those that the key is for. */
  readonly algorithms?: readonly string[] | undefined;
  /** The header that has the token, with or without `Bearer`. */
  readonly header?: string | undefined;
  /** How long a request waits for keys of `jwksUrl` at most; then its token counts as missing. */
  readonly timeoutMs?: number | undefined;
}

export const JWT_DEFAULTS = Object.freeze({
  secret: undefined,
  publicKey: undefined,
  jwksUrl: undefined,
  issuer: undefined,
  audience: undefined,
  // All that the key is for.
  algorithms: undefined,
  // RFC 6750, 2.1.
  header: 'authorization',
  // Keys are asked for once in ten minutes. A new connection with TLS takes three round trips: 450 ms around the globe.
  timeoutMs: 500,
});

export interface JwtSettings {
  /** A key, or where to find the keys. */
  readonly key: KeyObject | URL;
  readonly algorithms: readonly string[];
  readonly issuer: string | readonly string[] | undefined;
  readonly audience: string | readonly string[] | undefined;
  readonly header: string;
  readonly timeoutMs: number;
}

export function checkJwtOptions(options: JwtOptions): JwtSettings {
  const given = withDefaults('jwt', JWT_DEFAULTS as JwtOptions, options);
  const { key, algorithms } = keyOf(given);
  return {
    key,
    algorithms: checkAlgorithms(given.algorithms, algorithms),
    issuer: checkTexts('jwt.issuer', given.issuer),
    audience: checkTexts('jwt.audience', given.audience),
    header: headerName('jwt.header', given.header),
    timeoutMs: checkPositive('jwt.timeoutMs', given.timeoutMs),
  };
}

function keyOf(given: JwtOptions): JwtKey | { readonly key: URL; readonly algorithms: readonly string[] } {
  const named = (['secret', 'publicKey', 'jwksUrl'] as const).filter((name) => given[name] !== undefined);
  if (named.length !== 1) {
    const got = named.length === 0 ? 'none' : named.join(' and ');
    throw new RangeError(`one of jwt.secret, jwt.publicKey and jwt.jwksUrl must be given, got ${got}`);
  }
  if (given.secret !== undefined) return secretKey('jwt.secret', given.secret);
  if (given.publicKey !== undefined) return publicKey('jwt.publicKey', given.publicKey);
  return { key: urlOf(given.jwksUrl!), algorithms: PUBLIC_ALGORITHMS };
}

function urlOf(given: string | URL): URL {
  const url = URL.canParse(String(given)) ? new URL(String(given)) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw new RangeError(`jwt.jwksUrl must be a URL of https or http, got ${shownUrl(given)}`);
}

function checkAlgorithms(given: unknown, possible: readonly string[]): readonly string[] {
  if (given === undefined) return possible;
  if (Array.isArray(given) && given.length > 0 && given.every((name) => possible.includes(name)))
    return [...given];
  throw new RangeError(
    `jwt.algorithms must be some of ${possible.join(', ')} with this key, got ${JSON.stringify(given)}`,
  );
}

function checkTexts(field: string, given: unknown): string | readonly string[] | undefined {
  if (given === undefined) return undefined;
  const texts: unknown[] = Array.isArray(given) ? given : [given];
  if (texts.length > 0 && texts.every((text) => typeof text === 'string' && text !== ''))
    return texts as string[];
  throw new RangeError(`${field} must be a text or several, got ${JSON.stringify(given)}`);
}
