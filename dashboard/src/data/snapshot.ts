import type { ClientSnapshot } from 'plimsoll/client';
import type { RouteSnapshot as GatewayRoute, GatewaySnapshot } from 'plimsoll/gateway';
import type { GuardSnapshot } from 'plimsoll/server';
import type { Criticality } from '../../../src/core/criticality.js';
import type { DemoPart } from './demo.js';

/**
 * What the admin port says, as JSON has it: of a gateway, of a guard alone (then there are no routes), or of one worker.
 * Infinity is `null` there. What newer or older versions do not have is undefined, so everything is optional.
 */
export interface Snapshot {
  readonly state?: string;
  readonly process?: ProcessReading;
  readonly guard?: GuardPart;
  readonly routes?: Readonly<Record<string, RoutePart>>;
  readonly services?: Readonly<Record<string, ServicePart>>;
  readonly quota?: GatewaySnapshot['quota'];
  readonly queue?: GatewaySnapshot['queue'];
  readonly reloads?: number;
  readonly failedReloads?: number;
  readonly unrouted?: number;
  readonly log?: GatewaySnapshot['log'];
  /** What the gateway itself has refused lately. */
  readonly recent?: readonly Decision[];
  readonly demo?: DemoPart;
}

/** The form of several workers. */
export interface WorkersSnapshot {
  readonly primary?: object;
  readonly missing?: readonly string[];
  readonly workers: Readonly<Record<string, Snapshot>>;
  readonly demo?: DemoPart;
}

export interface ProcessReading {
  readonly pid?: number;
  readonly node?: string;
  readonly uptimeMs?: number;
  readonly residentBytes?: number;
}

export type GuardPart = Omit<GuardSnapshot, 'recent'> & { readonly recent?: readonly Decision[] };

export type RoutePart = Omit<GatewayRoute, 'limits'> & {
  readonly limits?: Readonly<Record<string, LimitPart>>;
};

export interface LimitPart {
  readonly allowed: number;
  readonly refused: number;
  readonly queued: number;
  readonly undecided: number;
  readonly busiest?: readonly { readonly key: string; readonly hits: number; readonly refused: number }[];
}

export type ServicePart = Omit<ClientSnapshot, 'backends'> & { readonly backends: readonly BackendPart[] };

export type BackendPart = ClientSnapshot['backends'][number] & {
  readonly weight?: number;
  /** Of the requests that this client sent lately. */
  readonly share?: number;
  readonly utilization?: number;
};

/** Somebody was refused, with the numbers of that moment. */
export interface Decision {
  /** Wall clock. */
  readonly atMs: number;
  readonly reason: string;
  readonly criticality?: Criticality;
  readonly customer?: string;
  readonly route?: string;
  /** It was let in all the same: the guard runs dry. */
  readonly isOnlyReported?: boolean;
  readonly utilization?: number;
  readonly refuseFrom?: number;
  readonly signal?: string;
  readonly waiting?: number;
  readonly inFlight?: number;
  readonly concurrencyLimit?: number;
  readonly limit?: string;
  readonly key?: string;
  readonly retryAfterMs?: number;
  readonly service?: string;
}

export function hasWorkers(snapshot: Snapshot | WorkersSnapshot): snapshot is WorkersSnapshot {
  return 'workers' in snapshot;
}
