import {
  createRateLimits,
  type KeyPart,
  type OverflowQueue,
  type RateLimits,
  type RateStore,
  type RuleOptions,
} from '../rate-limit/index.js';
import type { JwtClaims } from '../rate-limit/jwt/jwt-claims.js';
import { ruleOf as rateRuleOf } from '../rate-limit/limiter-options.js';
import type { GatewayView } from './gateway-view.js';
import type { GatewaySettings, LimitSettings, NamedRoute } from './settings/index.js';

/** Where limits count, and what they need. */
export interface LimitParts {
  readonly store: RateStore;
  /** How long a request waits for it; undefined: as long as limits do by themselves. */
  readonly timeoutMs: number | undefined;
  readonly queue: OverflowQueue | undefined;
  readonly claims: JwtClaims | undefined;
  readonly onError: (error: unknown) => void;
}

/** The limits of a route; undefined when it has none. Named ones count together with those of other routes. */
export function limitsOf(
  route: NamedRoute,
  settings: GatewaySettings,
  { store, timeoutMs, queue, claims, onError }: LimitParts,
): RateLimits | undefined {
  if (route.limits.length === 0) return undefined;
  const { limits, identity } = settings;
  const rules = route.limits.map((limit) =>
    typeof limit === 'string'
      ? ruleOf(limit, limits[limit]!, route, claims)
      : ruleOf(limit.name, limit, route, claims),
  );
  return createRateLimits({
    rules,
    store,
    queue: mayQueue(route, settings) ? queue : undefined,
    apiKeyHeader: identity.apiKeys?.header,
    secretHeaders: identity.jwt?.header === undefined ? [] : [identity.jwt.header],
    timeoutMs,
    onError,
  });
}

/** Whether requests of a route that are over a limit are kept for later. */
export function mayQueue(route: NamedRoute, { limits }: GatewaySettings): boolean {
  const all = route.limits.map((limit) => (typeof limit === 'string' ? limits[limit]! : limit));
  return all.some(({ onLimit }) => onLimit === 'queue');
}

function ruleOf(
  name: string,
  limit: LimitSettings,
  route: NamedRoute,
  claims: JwtClaims | undefined,
): RuleOptions {
  const { algorithm, rate, burst, countRefused, cost, onLimit, onStoreFailure, localShare } = limit;
  const key = [limit.key].flat().map((part) => keyOf(part, route, claims));
  return { name, key, algorithm, rate, burst, countRefused, cost, onLimit, onStoreFailure, localShare };
}

/** Addresses come with the view, as proxies of ours say; the rest is known here better than by a rule. */
function keyOf(part: string, route: NamedRoute, claims: JwtClaims | undefined): KeyPart {
  if (part === 'route') return () => route.name;
  if (part === 'customer') return (view) => (view as GatewayView).customer;
  if (part.startsWith('jwt:') && claims !== undefined) return claims.reader(part.slice(4));
  return part as KeyPart;
}

/**
 * Whom requests ask for another turn that have missed their own: one for the limits of all routes, as there is one queue.
 */
export function paceQueue({ limits, routes }: GatewaySettings, { queue, store }: LimitParts): void {
  const own = routes.flatMap((route) => route.limits).filter((limit) => typeof limit === 'object');
  const all = new Map<string, LimitSettings>([
    ...Object.entries(limits),
    ...own.map((limit) => [limit.name, limit] as const),
  ]);
  const rules = new Map(
    [...all]
      .filter(([, { onLimit }]) => onLimit === 'queue')
      .map(([name, limit]) => [name, rateRuleOf(name, limit)]),
  );
  queue?.paceBy(async (name, key, cost) => {
    const rule = rules.get(name);
    return rule === undefined ? { dueMs: 0, retryAfterMs: 0 } : await store.schedule({ rule, key, cost });
  });
}
