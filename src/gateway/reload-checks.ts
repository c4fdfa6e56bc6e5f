import { isDeepStrictEqual } from 'node:util';
import type { GatewaySettings } from './settings/index.js';

/** What is made once, when the process starts. */
const FIXED = ['redis', 'quota', 'queue', 'overload', 'drain', 'workers', 'log'] as const;

/** Throws when settings have changed in a way that takes a restart: then nothing of them holds. */
export function checkReloadable(now: GatewaySettings, next: GatewaySettings): void {
  const changed: string[] = FIXED.filter((field) => !isDeepStrictEqual(now[field], next[field]));
  if (!isDeepStrictEqual(placesOf(now), placesOf(next))) changed.unshift('listen');
  if (adminAddress(now) !== adminAddress(next)) changed.push('admin.address');
  if (queues(next) && !queues(now)) changed.push('onLimit: queue');
  if (changed.length === 0) return;
  const subject = changed.length === 1 ? 'this takes' : 'these take';
  throw new RangeError(
    `${changed.join(', ')} changed: ${subject} a restart, and nothing else of the file holds`,
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
export function queues({ limits, routes }: GatewaySettings): boolean {
  const all = [...Object.values(limits), ...routes.flatMap((route) => route.limits)];
  return all.some((limit) => typeof limit === 'object' && limit.onLimit === 'queue');
}
