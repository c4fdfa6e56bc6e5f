import type { Identity, ProxyTrust } from './identity/index.js';
import type { LiveRoute } from './live-route.js';
import { RouteTable } from './routing/index.js';
import type { ServiceClient } from './services/index.js';
import type { GatewaySettings } from './settings/index.js';

export interface GenerationParts {
  readonly settings: GatewaySettings;
  readonly routes: readonly LiveRoute[];
  readonly services: ReadonlyMap<string, ServiceClient>;
  readonly identity: Identity;
  readonly proxies: ProxyTrust;
  readonly isTrustedCaller: (address: string | undefined) => boolean;
}

/**
 * All that settings decide, as of one reading of them. A request keeps to the one it began with; what only that one has
 * is closed when the last such request has been sent on.
 */
export class Generation {
  readonly settings: GatewaySettings;
  readonly routes: readonly LiveRoute[];
  readonly services: ReadonlyMap<string, ServiceClient>;
  readonly table: RouteTable<LiveRoute>;
  readonly identity: Identity;
  readonly proxies: ProxyTrust;
  readonly isTrustedCaller: (address: string | undefined) => boolean;
  /** How to be known, for those who are not and have to be. */
  readonly scheme: string;
  /** Whether requests have to be looked at before they are let in. */
  readonly looksEarly: boolean;
  /** Whether any route answers from stale copies. */
  readonly keepsCopies: boolean;
  #held = 0;
  #onFree: (() => void) | undefined = undefined;

  constructor(parts: GenerationParts) {
    const { settings, routes, identity } = parts;
    this.settings = settings;
    this.routes = routes;
    this.services = parts.services;
    this.table = new RouteTable(routes.map((route, at) => [settings.routes[at]!, route] as const));
    this.identity = identity;
    this.proxies = parts.proxies;
    this.isTrustedCaller = parts.isTrustedCaller;
    this.scheme = settings.identity.jwt === undefined ? 'ApiKey' : 'Bearer';
    this.keepsCopies = routes.some(({ stale }) => stale !== undefined);
    this.looksEarly =
      identity.isEarly ||
      routes.some(
        ({ criticality, hasQuota, batch }) => !criticality.isUsual || !hasQuota || batch !== undefined,
      );
  }

  /** A request is under way that was not sent on yet. */
  hold(): void {
    this.#held++;
  }

  release(): void {
    this.#held--;
    if (this.#held > 0) return;
    const onFree = this.#onFree;
    this.#onFree = undefined;
    onFree?.();
  }

  /** It is not for new requests any more. `onFree` is called once nobody holds it. */
  retire(onFree: () => void): void {
    if (this.#held === 0) onFree();
    else this.#onFree = onFree;
  }
}
