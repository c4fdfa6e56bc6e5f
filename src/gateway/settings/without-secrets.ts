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
    routes: routes.map(shownRoute),
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

/** What backends are told by, and what clients are known by, may be a password like any other. */
function shownRoute(route: NamedRoute): NamedRoute {
  const { headers, requestHeaders, answerHeaders } = route;
  return {
    ...route,
    ...(headers === undefined ? {} : { headers: shownHeaders(headers) }),
    ...(requestHeaders === undefined
      ? {}
      : { requestHeaders: { ...requestHeaders, set: shownHeaders(requestHeaders.set) } }),
    ...(answerHeaders === undefined
      ? {}
      : { answerHeaders: { ...answerHeaders, set: shownHeaders(answerHeaders.set) } }),
  };
}

function shownHeaders<T extends string | boolean>(headers: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' && isSecretHeader(name) ? (HIDDEN as T) : value,
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
