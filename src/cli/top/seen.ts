import type { ClientSnapshot } from '../../client/index.js';
import type { GatewaySnapshot } from '../../gateway/index.js';
import type { QuotaSnapshot } from '../../quota/index.js';

/** What is read of a snapshot: any part may be missing, as with a guard alone or an older gateway. */
export interface Seen {
  readonly state?: string;
  readonly process?: { readonly pid: number; readonly uptimeMs: number; readonly residentBytes: number };
  readonly guard?: Partial<GatewaySnapshot['guard']>;
  readonly routes?: GatewaySnapshot['routes'];
  readonly services?: Readonly<Record<string, SeenService>>;
  readonly quota?: Partial<QuotaSnapshot>;
  /** Of several workers: their own, and sums. */
  readonly workers?: Readonly<Record<string, Seen>>;
  readonly total?: Pick<Seen, 'guard' | 'routes'>;
  readonly primary?: { readonly state?: string };
  readonly demo?: { readonly load?: SeenLoad; readonly backends?: readonly { name: string; url: string }[] };
}

export type SeenService = Partial<Omit<ClientSnapshot, 'backends'>> & {
  readonly backends?: readonly (ClientSnapshot['backends'][number] & {
    readonly weight?: number;
    readonly share?: number;
  })[];
};

/** What clients of the demo see. */
export interface SeenLoad {
  readonly offeredPerSecond: number;
  readonly goodputPerSecond: number;
  readonly refusedPerSecond: number;
  readonly failedPerSecond: number;
  readonly lateOrLostPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly multiple: number;
}

/** All processes that were looked at: one, or the workers of a gateway. */
export function processesOf(seen: Seen): Seen[] {
  return seen.workers === undefined ? [seen] : Object.values(seen.workers);
}

/** Counts of all processes together. */
export function countedOf(seen: Seen): Pick<Seen, 'guard' | 'routes'> {
  return seen.total ?? seen;
}
