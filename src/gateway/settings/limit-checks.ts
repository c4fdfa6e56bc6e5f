import { nearestWord } from '../../config/index.js';
import type { Report } from './cross-checks.js';
import type { GatewaySettings } from './gateway-schema.js';
import type { LimitSettings } from './limit-schema.js';

/** Limits that are named, used, and can be counted as they say. */
export function checkLimitUse(settings: GatewaySettings, report: Report): void {
  const { routes, limits } = settings;
  const used = new Set<string>();
  const own = new Set<string>();
  for (const [at, route] of routes.entries()) {
    const here = new Set<string>();
    for (const [i, limit] of route.limits.entries()) {
      const path = ['routes', at, 'limits', i];
      const name = typeof limit === 'string' ? limit : limit.name;
      if (here.has(name)) report(path, `is in this list already, got "${name}"`);
      here.add(name);
      if (typeof limit === 'string') {
        if (!Object.hasOwn(limits, limit)) report(path, unknownLimit(limit, Object.keys(limits)));
        else if (isQueuedTwice(route, limits[limit]!)) report(path, QUEUED_TWICE);
        used.add(limit);
      } else {
        if (own.has(name) || Object.hasOwn(limits, name))
          report([...path, 'name'], `is the name of another limit: they would count together, got "${name}"`);
        own.add(name);
        if (isQueuedTwice(route, limit)) report([...path, 'onLimit'], QUEUED_TWICE);
        checkOne(settings, limit, path, report);
      }
    }
  }
  for (const [name, limit] of Object.entries(limits)) {
    if (!used.has(name))
      report(['limits', name], 'limits nobody: name it in the limits of a route, or take it out');
    checkOne(settings, limit, ['limits', name], report);
  }
}

const QUEUED_TWICE =
  'must not queue on a route of a batch, which has a queue of its own: refuse, or take batch out';

function isQueuedTwice({ batch }: GatewaySettings['routes'][number], { onLimit }: LimitSettings): boolean {
  return batch !== false && onLimit === 'queue';
}

function checkOne(
  { redis, identity, trustedCallers }: GatewaySettings,
  { onLimit, key }: LimitSettings,
  path: readonly PropertyKey[],
  report: Report,
): void {
  if (onLimit === 'queue' && redis === undefined)
    report([...path, 'onLimit'], 'needs redis, where what waits survives this process: set redis, or refuse');
  const isAnybodyKnown =
    trustedCallers.length > 0 || Object.values(identity).some((way) => way !== undefined);
  if ([key].flat().includes('customer') && !isAnybodyKnown)
    report([...path, 'key'], 'counts all together: identity at the top says no way to know a customer');
  const claim = [key].flat().find((part) => part.startsWith('jwt:'));
  if (claim !== undefined && identity.jwt === undefined)
    report([...path, 'key'], `needs identity.jwt, which says how to verify tokens, got "${claim}"`);
}

function unknownLimit(name: string, names: readonly string[]): string {
  const nearest = nearestWord(name, names);
  if (nearest !== undefined) return `is no limit, did you mean ${nearest}?`;
  return `is no limit: say what it is in limits, got "${name}"`;
}
