import { isDeepStrictEqual } from 'node:util';
import { lateError } from '../config/index.js';
import type { Path } from './named-files.js';
import type { GatewaySettings } from './settings/index.js';

/** What is made once, when the process starts. */
const FIXED = ['redis', 'quota', 'queue', 'overload', 'drain', 'workers', 'log'] as const;

const RESTART =
  'changed, and this takes a restart: restart the gateway, or write what was there. Until then nothing of the file holds';

/** Throws when settings have changed in a way that takes a restart: then nothing of them holds. */
export function checkReloadable(now: GatewaySettings, next: GatewaySettings): void {
  const changed: Path[] = FIXED.filter((field) => !isDeepStrictEqual(now[field], next[field])).map(
    (field) => [field],
  );
  if (!isDeepStrictEqual(placesOf(now), placesOf(next))) changed.push(['listen']);
  if (adminAddress(now) !== adminAddress(next)) changed.push(['admin', 'address']);
  if (!queues(now)) changed.push(...queuesOf(next).slice(0, 1));
  if (changed.length === 0) return;
  throw lateError(
    next,
    changed.map((path) => ({ path, text: RESTART })),
  );
}

/** Certificates may change; where and how is listened may not. */
function placesOf({ listen }: GatewaySettings): unknown {
  return listen.map(({ address, tls, http2 }) => ({
    address,
    http2,
    isEncrypted: tls !== undefined,
    asks: tls?.clientCa === undefined ? undefined : tls.clientCert,
  }));
}

/** Who may ask there can change; where it is cannot. */
function adminAddress({ admin }: GatewaySettings): string | undefined {
  return admin === false ? undefined : admin.address;
}

/** Whether requests may have to wait in a queue. */
export function queues(settings: GatewaySettings): boolean {
  return queuesOf(settings).length > 0;
}

/** Where it is said. */
function queuesOf({ limits, routes }: GatewaySettings): Path[] {
  const named = Object.entries(limits).map(([name, limit]) => ({ path: ['limits', name], limit }));
  const own = routes.flatMap((route, at) =>
    route.limits.map((limit, i) => ({ path: ['routes', at, 'limits', i], limit })),
  );
  return [...named, ...own].flatMap(({ path, limit }) =>
    typeof limit === 'object' && limit.onLimit === 'queue' ? [[...path, 'onLimit']] : [],
  );
}
