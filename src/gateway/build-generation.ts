import type { RateLimits } from '../rate-limit/index.js';
import { JwtClaims } from '../rate-limit/jwt/jwt-claims.js';
import { checkJwtOptions, type JwtOptions } from '../rate-limit/jwt/jwt-options.js';
import { trustOf } from '../server/intake/trust.js';
import { BatchRoute, type BatchRouteParts } from './batch-route.js';
import { Generation } from './generation.js';
import { Identity, ProxyTrust } from './identity/index.js';
import { readKeyFile } from './key-file.js';
import { LiveRoute, noCounts, type RouteCounts } from './live-route.js';
import { namedFiles, type ReadFile } from './named-files.js';
import { limitsOf, mayQueue, paceQueue } from './route-limits.js';
import { planServices, type ServiceClient, type ServiceClients } from './services/index.js';
import type { GatewaySettings, KeyOwner, NamedRoute } from './settings/index.js';
import type { SharedState } from './shared-state.js';
import type { StaleShelf } from './stale-shelf.js';
import { readTokenKey } from './token-key.js';

export interface BuilderParts {
  readonly shared: SharedState;
  readonly services: ServiceClients;
  readonly stale: StaleShelf;
  /** What names of files in settings are relative to. */
  readonly directory: string;
  readonly onError: (error: unknown) => void;
}

interface Kept<T> {
  readonly key: string;
  readonly value: T;
}

/** What a generation was made with, and may be of use to the next. */
export interface Built {
  readonly generation: Generation;
  readonly services: ReadonlyMap<string, ServiceClient>;
  readonly limits: ReadonlyMap<string, RateLimits>;
  readonly batches: ReadonlyMap<string, BatchRoute>;
  readonly claims: Kept<JwtClaims> | undefined;
}

/** One for all: made where a generation is, it would keep the one before from being forgotten, and that one its own. */
const trustNobody = () => false;

/** What is being put together. */
interface Making {
  readonly services: ReadonlyMap<string, ServiceClient>;
  readonly claims: Kept<JwtClaims> | undefined;
  readonly limits: Map<string, RateLimits>;
  readonly batches: Map<string, BatchRoute>;
}

/** Makes of settings what requests go through. What is the same as before is taken over. */
export class GenerationBuilder {
  /** How full this gateway is: batches yield to that, too. Known when there is one. */
  ownUtilization: () => number | undefined = () => undefined;
  readonly #parts: BuilderParts;
  /** Routes that are gone and come back count on; as many as settings may have, twice. */
  readonly #counts = new Map<string, RouteCounts>();

  constructor(parts: BuilderParts) {
    this.#parts = parts;
  }

  /** Rejects when files are missing or something cannot be made; then nothing is left of it. */
  async build(settings: GatewaySettings, before: Built | undefined): Promise<Built> {
    const { services: clients, directory } = this.#parts;
    const readFile = namedFiles(settings, directory);
    const keys = await keysOf(settings, readFile);
    const tokens = await readTokenKey(settings, readFile);
    const services = await clients.prepare(await planServices(settings, readFile));
    const claims = claimsFor(settings, tokens, before?.claims, this.#parts.onError);
    const made: Making = { services, claims, limits: new Map(), batches: new Map() };
    try {
      const routes = settings.routes.map((route) => this.#route(route, settings, made, before));
      paceQueue(settings, { ...this.#parts.shared, claims: undefined, onError: this.#parts.onError });
      const generation = new Generation({
        settings,
        routes,
        services,
        identity: new Identity({ settings: settings.identity, keys, claims: claims?.value }),
        proxies: new ProxyTrust(settings.trustedProxies),
        isTrustedCaller:
          settings.trustedCallers.length === 0 ? trustNobody : trustOf(settings.trustedCallers),
      });
      return { generation, ...made };
    } catch (error) {
      await clients.discard(services);
      for (const [key, own] of made.limits) if (before?.limits.get(key) !== own) await own.close();
      if (claims !== before?.claims) claims?.value.close();
      throw error;
    }
  }

  /** Lets go of what was built and is not to be used after all: `before` goes on. */
  async discard(built: Built, before: Built): Promise<void> {
    const { services, limits, batches, claims } = built;
    for (const { batch, service } of before.generation.routes)
      if (batch !== undefined) batch.service = service;
    const { shared, onError } = this.#parts;
    paceQueue(before.generation.settings, { ...shared, claims: undefined, onError });
    await this.#parts.services.discard(services);
    for (const [key, own] of limits) if (before.limits.get(key) !== own) await own.close();
    for (const [key, own] of batches) if (before.batches.get(key) !== own) await own.close();
    if (claims !== before.claims) claims?.value.close();
  }

  #route(
    route: NamedRoute,
    settings: GatewaySettings,
    { services, claims, limits, batches }: Making,
    before: Built | undefined,
  ): LiveRoute {
    const { shared, stale, onError } = this.#parts;
    const service = services.get(route.to)!;
    const key = limitsKey(route, settings, claims?.key);
    const { store, timeoutMs, queue } = shared;
    const own =
      before?.limits.get(key) ??
      limitsOf(route, settings, { store, timeoutMs, queue, claims: claims?.value, onError });
    if (own !== undefined) limits.set(key, own);
    const batch = batchFor(route, service, before, { own: () => this.ownUtilization(), onError });
    if (batch !== undefined) batches.set(batchKey(route), batch);
    const { header } = settings.identity;
    const parts = {
      service,
      limits: own,
      mayQueue: mayQueue(route, settings),
      batch,
      stale: stale.for(route, service.settings, settings.identity),
      ownHeaders: header === undefined ? [] : [header.name],
    };
    return new LiveRoute(route, parts, this.#countsOf(route.name));
  }

  #countsOf(name: string): RouteCounts {
    let counts = this.#counts.get(name);
    if (counts === undefined) {
      if (this.#counts.size >= 10_000) this.#counts.clear();
      counts = noCounts();
      this.#counts.set(name, counts);
    }
    return counts;
  }
}

/** Whose key it is, of all that settings and their file have. */
async function keysOf(
  { identity }: GatewaySettings,
  readFile: ReadFile,
): Promise<Readonly<Record<string, KeyOwner>>> {
  const { keys = {}, file } = identity.apiKeys ?? {};
  return file === undefined ? keys : { ...keys, ...(await readKeyFile(file, readFile)) };
}

/** The same one while it is to do the same: what waits in it goes on waiting. */
function batchFor(
  route: NamedRoute,
  service: ServiceClient,
  before: Built | undefined,
  parts: BatchRouteParts,
): BatchRoute | undefined {
  if (route.batch === false) return undefined;
  const known = before?.batches.get(batchKey(route));
  if (known === undefined) return new BatchRoute(route.batch, service, parts);
  known.service = service;
  return known;
}

function batchKey({ name, batch }: NamedRoute): string {
  return JSON.stringify([name, batch]);
}

/** All that decides how a route's requests are counted. */
function limitsKey(
  route: NamedRoute,
  { limits, identity }: GatewaySettings,
  claims: string | undefined,
): string {
  const rules = route.limits.map((limit) => (typeof limit === 'string' ? [limit, limits[limit]] : limit));
  return JSON.stringify([route.name, rules, identity.apiKeys?.header, claims]);
}

/** Claims that are asked for later are not found in tokens that were verified before: then a new one is made. */
function claimsFor(
  settings: GatewaySettings,
  tokens: JwtOptions | undefined,
  before: Kept<JwtClaims> | undefined,
  onError: (error: unknown) => void,
): Kept<JwtClaims> | undefined {
  if (tokens === undefined) return undefined;
  const all = [...Object.values(settings.limits), ...settings.routes.flatMap((route) => route.limits)];
  const asked = all.flatMap((limit) => (typeof limit === 'string' ? [] : [limit.key].flat()));
  const paths = [...new Set(asked.filter((part) => part.startsWith('jwt:')))].sort();
  const key = JSON.stringify([tokens, settings.identity.jwt?.claim, paths]);
  if (before?.key === key) return before;
  return { key, value: new JwtClaims(checkJwtOptions(tokens), { onError }) };
}
