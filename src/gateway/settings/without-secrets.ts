import { isFilledIn } from '../../config/index.js';
import { isSecretHeader } from '../../rate-limit/rules/secret-header.js';
import type { GatewaySettings } from './gateway-schema.js';
import type { NamedRoute } from './route-names.js';

const HIDDEN = '***';

/** Settings to be shown: what would let somebody in is not in them. Hashes of keys are: nobody can ask with one. */
export function withoutSecrets(settings: GatewaySettings): GatewaySettings {
  const { redis, admin, identity, routes } = settings;
  return {
    ...settings,
    ...(redis === undefined ? {} : { redis: { ...redis, url: shownUrls(redis.url) } }),
    ...(admin === false || admin.token === undefined ? {} : { admin: { ...admin, token: HIDDEN } }),
    identity: shownIdentity(identity),
    routes: routes.map((route, at) =>
      shownRoute(route, (...path) => isFilledIn(settings, ['routes', at, ...path])),
    ),
  };
}

function shownIdentity(identity: GatewaySettings['identity']): GatewaySettings['identity'] {
  const { jwt } = identity;
  if (jwt === undefined) return identity;
  const { secret, jwksUrl } = jwt;
  return {
    ...identity,
    jwt: {
      ...jwt,
      ...(secret === undefined ? {} : { secret: HIDDEN }),
      ...(jwksUrl === undefined ? {} : { jwksUrl: shownUrl(jwksUrl) }),
    },
  };
}

/**
 * What backends are told by, and what clients are known by, may be a password like any other: by the name of its header,
 * or because it was kept out of the file.
 */
function shownRoute(route: NamedRoute, isFromOutside: (...path: string[]) => boolean): NamedRoute {
  const { headers, requestHeaders, answerHeaders } = route;
  return {
    ...route,
    ...(headers === undefined
      ? {}
      : { headers: shownHeaders(headers, (name) => isFromOutside('headers', name)) }),
    ...(requestHeaders === undefined
      ? {}
      : {
          requestHeaders: {
            ...requestHeaders,
            set: shownHeaders(requestHeaders.set, (name) => isFromOutside('requestHeaders', 'set', name)),
          },
        }),
    ...(answerHeaders === undefined
      ? {}
      : {
          answerHeaders: {
            ...answerHeaders,
            set: shownHeaders(answerHeaders.set, (name) => isFromOutside('answerHeaders', 'set', name)),
          },
        }),
  };
}

function shownHeaders<T extends string | boolean>(
  headers: Readonly<Record<string, T>>,
  isFromOutside: (name: string) => boolean,
): Record<string, T> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' && (isSecretHeader(name) || isFromOutside(name)) ? (HIDDEN as T) : value,
    ]),
  );
}

function shownUrls(url: string | readonly string[]): string | string[] {
  return typeof url === 'string' ? shownUrl(url) : url.map(shownUrl);
}

/** Who and where, but not by what: name and password are both kept back. */
function shownUrl(text: string): string {
  const url = new URL(text);
  if (url.username === '' && url.password === '' && url.search === '') return text;
  return `${url.protocol}//${HIDDEN}@${url.host}${url.pathname}`;
}
