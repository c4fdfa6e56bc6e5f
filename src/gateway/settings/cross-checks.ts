import type * as z from 'zod';
import { nearestWord } from '../../config/index.js';
import { RouteMatch } from '../routing/route-match.js';
import { checkService } from '../services/client-options.js';
import type { GatewaySettings } from './gateway-schema.js';
import { checkLimitUse } from './limit-checks.js';
import { checkListeners } from './listen-checks.js';
import { plainService } from './service-schema.js';
import { addProblem } from './texts.js';

/** Tells what is wrong, and where. */
export type Report = (path: readonly PropertyKey[], message: string) => void;

/** What only shows when all parts are seen together. */
export function checkSettings(settings: GatewaySettings, context: z.RefinementCtx): void {
  const report: Report = (path, message) => context.addIssue({ code: 'custom', path: [...path], message });
  checkListeners(settings, report);
  checkNames(settings, report);
  checkTargets(settings, context, report);
  checkReach(settings, report);
  checkLimitUse(settings, report);
  checkIdentity(settings, report);
  checkBatches(settings, report);
}

/** Who has no quota is nobody in particular, and would be one job with all the others. */
function checkBatches({ routes, quota }: GatewaySettings, report: Report): void {
  for (const [at, route] of routes.entries()) {
    if (route.batch !== false && route.batch.job === 'customer' && !route.quota && quota !== undefined)
      report(['routes', at, 'batch'], 'needs job: address or header:<name> where quota is false');
  }
}

function checkNames({ routes }: GatewaySettings, report: Report): void {
  const seen = new Map<string, number>();
  for (const [at, { name }] of routes.entries()) {
    if (seen.has(name))
      report(['routes', at, 'name'], `is the name of routes[${seen.get(name)}] already, got "${name}"`);
    seen.set(name, at);
  }
}

/** `to` is the name of a service, or a backend. */
function checkTargets({ routes, services }: GatewaySettings, context: z.RefinementCtx, report: Report): void {
  const names = Object.keys(services);
  const checked = new Set<string>();
  for (const [at, { to }] of routes.entries()) {
    if (Object.hasOwn(services, to) || checked.has(to)) continue;
    checked.add(to);
    if (isUrl(to)) addProblem(context, () => checkService(plainService(to)), ['routes', at, 'to']);
    else report(['routes', at, 'to'], unknownService(to, names));
  }
}

export function isUrl(to: string): boolean {
  return /^https?:\/\/[^\s\\/?#@]+\/?$/i.test(to);
}

function unknownService(to: string, names: readonly string[]): string {
  if (to.includes('/'))
    return `must be the name of a service, or a backend like "http://10.0.0.1:8080" without a path, got ${JSON.stringify(to)}`;
  const nearest = nearestWord(to, names);
  if (nearest !== undefined) return `is no service, did you mean ${nearest}?`;
  const known = names.length === 0 ? 'there is none' : `there are ${names.slice(0, 10).join(', ')}`;
  return `is no service (${known}) and no backend like "http://10.0.0.1:8080", got ${JSON.stringify(to)}`;
}

/** A route that no request comes to is a mistake: most often the order. */
function checkReach({ routes }: GatewaySettings, report: Report): void {
  const matches = routes.map((route) => new RouteMatch(route));
  for (const [at, match] of matches.entries()) {
    const before = matches.findIndex((other, i) => i < at && other.covers(match));
    if (before >= 0 && before < at)
      report(
        ['routes', at],
        `is never reached: routes[${before}] (${routes[before]!.name}) takes all of it. Put it before that one`,
      );
  }
}

function checkIdentity({ routes, identity, listen }: GatewaySettings, report: Report): void {
  const isKnown = Object.values(identity).some((way) => way !== undefined);
  for (const [at, { identity: wanted }] of routes.entries()) {
    if (wanted === 'required' && !isKnown)
      report(['routes', at, 'identity'], 'lets nobody in: identity at the top says no way to be known');
  }
  if (identity.mtls !== undefined && !listen.some(({ tls }) => tls?.clientCa !== undefined))
    report(['identity', 'mtls'], 'needs a listener with tls.clientCa, which asks clients for certificates');
}
