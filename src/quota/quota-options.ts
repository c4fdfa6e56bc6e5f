import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { checkInteger, checkOneOf, checkPositive, withDefaults } from '../core/check.js';
import {
  QuotaCoordinator,
  type QuotaCoordinatorOptions,
  type QuotaLimits,
  type QuotaMemberOptions,
} from '../core/index.js';
import type { LinkOptions } from '../stores/redis/redis-link.js';
import { checkCustomers } from '../wire/index.js';

/** `when-overloaded`: who exceeds a quota is refused only while a backend has too much to do. */
export type QuotaEnforce = 'always' | 'when-overloaded';

/** What all backends and coordinators of a service have to agree on. */
export interface QuotaCoordinatorSettings {
  /** Whose backends share the limits: all that have the same name at the same Redis. */
  readonly service: string;
  /** The same for all backends and coordinators of a service. */
  readonly limits: QuotaLimits;
  /** How often backends report, and levels are set. */
  readonly everyMs: number;
  /** What keys begin with: services with another one share nothing. */
  readonly prefix: string;
  /** A coordinator's term, unless it is renewed. All of one service must have the same. */
  readonly termMs: number;
  /** How a coordinator counts and listens; what is left out follows from `everyMs`. */
  readonly coordinator: Partial<Omit<QuotaCoordinatorOptions, 'everyMs'>>;
}

/** Quotas of customers for one backend: alone, or with all that have the same service and Redis. */
export interface QuotaSettings extends QuotaCoordinatorSettings {
  /** undefined: limits hold for this process alone. */
  readonly redis: LinkOptions | undefined;
  /** `cpu`: CPU-seconds, which the guard measures. Anything else is what handlers charge. */
  readonly unit: string;
  /** Whether quotas hold always, or only while there is too much to do. */
  readonly enforce: QuotaEnforce;
  /** Whether this process may be coordinator. */
  readonly coordinates: boolean;
  /** For people who look into Redis: what this backend is called there, before something that makes it unique. */
  readonly backend: string | undefined;
  /** For how long this backend believes what it was told, and what it does after that. */
  readonly member: Partial<QuotaMemberOptions>;
}

export const QUOTA_COORDINATOR_SETTINGS: QuotaCoordinatorSettings = Object.freeze({
  /** They must be given. */
  service: '',
  limits: { everyoneElse: { perSecond: Number.NaN } },
  // A customer that exceeds its quota is to be held to it within 2 s: eight reports, of which one or two may be lost.
  everyMs: 250,
  prefix: 'plimsoll:quota:',
  // Another one takes over within a term and a quarter, 1.5 s.
  termMs: 1_200,
  coordinator: {},
});

export const QUOTA_SETTINGS: QuotaSettings = Object.freeze({
  ...QUOTA_COORDINATOR_SETTINGS,
  redis: undefined,
  unit: 'cpu',
  // Who pays for a quota can rely on it, and finds out early what it is.
  enforce: 'always',
  coordinates: true,
  backend: undefined,
  member: {},
});

/** What Redis, logs and metrics take as it is. */
const NAME = /^\w[\w.:@-]{0,127}$/;

function checkName(field: string, name: unknown): string {
  if (typeof name === 'string' && NAME.test(name)) return name;
  throw new RangeError(
    `${field} must be a name of 1 to 128 letters, digits and ._:@-, got ${JSON.stringify(name)}`,
  );
}

function checkShared(settings: QuotaCoordinatorSettings): void {
  checkName('service', settings.service);
  // Levels are believed for 3 s: of those that come once a second two may be lost.
  checkInteger('everyMs', settings.everyMs, 10, 1_000);
  checkInteger('termMs', settings.termMs, 100);
  // A Cluster goes by what is in the first braces, and these are for the service.
  if (typeof settings.prefix !== 'string' || /[{}]/.test(settings.prefix)) {
    throw new RangeError(`prefix must be a text without braces, got ${JSON.stringify(settings.prefix)}`);
  }
  // Wrong ones are found out when they are given, not when this process is elected.
  new QuotaCoordinator(settings.limits, coordinatorOptions(settings));
  checkCustomers(settings.limits.customers);
}

/** What follows from how often there are reports, unless it is given. */
export function coordinatorOptions({
  everyMs,
  coordinator,
}: Pick<QuotaCoordinatorSettings, 'everyMs' | 'coordinator'>): Partial<QuotaCoordinatorOptions> {
  return {
    everyMs,
    // Four reports: one that is late or lost is no reason to give a backend's part to others.
    forgetMs: Math.max(1_000, 4 * everyMs),
    // 100 ms on the way each time, and up to a turn of a backend and of the coordinator.
    reactionMs: 200 + 2 * everyMs,
    ...coordinator,
  };
}

export function checkQuotaSettings(given: Partial<QuotaSettings>): QuotaSettings {
  const settings = withDefaults('quota', QUOTA_SETTINGS, given);
  checkName('unit', settings.unit);
  checkOneOf('enforce', settings.enforce, ['always', 'when-overloaded']);
  if (settings.backend !== undefined) checkName('backend', settings.backend);
  if (settings.redis === undefined) checkPositive('everyMs', settings.everyMs);
  else checkShared(settings);
  return settings;
}

export function checkCoordinatorSettings(
  given: Partial<QuotaCoordinatorSettings> & { readonly redis: LinkOptions },
): QuotaCoordinatorSettings & { readonly redis: LinkOptions } {
  const defaults = { ...QUOTA_COORDINATOR_SETTINGS, redis: {} as LinkOptions };
  const settings = withDefaults('quota coordinator', defaults, given);
  checkShared(settings);
  return settings;
}

/** A name that no other life of a process has: what one has said must not be taken for what the next one says. */
export function backendName({ backend }: Pick<QuotaSettings, 'backend'>): string {
  const name = backend ?? `${hostname().slice(0, 64)}:${process.pid}`;
  return `${name}:${randomBytes(6).toString('hex')}`;
}
