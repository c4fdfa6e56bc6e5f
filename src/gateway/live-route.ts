import { HEALTH_DEFAULTS } from '../client/index.js';
import type { RateLimits } from '../rate-limit/index.js';
import type { BatchRoute } from './batch-route.js';
import { HeaderEdits } from './forwarding/index.js';
import { CriticalityRule } from './identity/index.js';
import type { RouteCopies } from './route-copies.js';
import { type Found, PathTemplate, PrivatePages, Rewrite } from './routing/index.js';
import type { ServiceClient } from './services/index.js';
import { bytesOf, msOf, type NamedRoute } from './settings/index.js';

/** What a route needs besides its settings. */
export interface RouteParts {
  readonly service: ServiceClient;
  readonly limits: RateLimits | undefined;
  /** Whether what is over one of them may be kept for later. */
  readonly mayQueue: boolean;
  readonly stale: RouteCopies | undefined;
  readonly batch: BatchRoute | undefined;
  /** Names of headers that only we may set. */
  readonly ownHeaders: readonly string[];
}

/** How often a route did what. Kept when settings change. */
export interface RouteCounts {
  requests: number;
  /** By a limit: refused, or queued. */
  limited: number;
  /** Not known, where somebody has to be. */
  unknown: number;
  /** The same, and nobody could tell: the keys of tokens were not to be had. */
  unverified: number;
  staleServed: number;
}

/** A route that requests take. */
export class LiveRoute {
  readonly name: string;
  readonly service: ServiceClient;
  readonly limits: RateLimits | undefined;
  /** Whether what is over one of them may be kept for later. */
  readonly mayQueue: boolean;
  readonly stale: RouteCopies | undefined;
  readonly batch: BatchRoute | undefined;
  readonly criticality: CriticalityRule;
  readonly template: PathTemplate;
  readonly mustBeKnown: boolean;
  readonly hasQuota: boolean;
  readonly host: 'backend' | 'request' | (string & {});
  readonly timeoutMs: number | undefined;
  readonly maxBodyBytes: number;
  readonly requestHeaders: HeaderEdits | undefined;
  readonly answerHeaders: HeaderEdits | undefined;
  readonly counts: RouteCounts;
  readonly #rewrite: Rewrite | undefined;
  /** Undefined: it was made for them. */
  readonly #hidden: PrivatePages | undefined;

  constructor(
    settings: NamedRoute,
    { service, limits, mayQueue, stale, batch, ownHeaders }: RouteParts,
    counts: RouteCounts,
  ) {
    const { rewrite, timeout, requestHeaders, answerHeaders } = settings;
    this.name = settings.name;
    this.service = service;
    this.limits = limits;
    this.mayQueue = mayQueue;
    this.stale = stale;
    this.batch = batch;
    this.criticality = new CriticalityRule(settings.criticality, batch !== undefined);
    this.template = new PathTemplate(settings.path);
    this.#rewrite = rewrite === undefined ? undefined : new Rewrite(rewrite, this.template);
    this.#hidden = hiddenPages(service, rewrite === undefined ? this.template : new PathTemplate(rewrite));
    this.mustBeKnown = settings.identity === 'required';
    this.hasQuota = settings.quota;
    this.host = service.settings.host;
    this.timeoutMs = timeout === undefined ? undefined : msOf(timeout);
    this.maxBodyBytes = bytesOf(settings.maxBody);
    const remove = [...ownHeaders, ...(requestHeaders?.remove ?? [])];
    this.requestHeaders =
      requestHeaders === undefined && remove.length === 0
        ? undefined
        : new HeaderEdits('requestHeaders', { set: requestHeaders?.set ?? {}, remove });
    this.answerHeaders = answerHeaders && new HeaderEdits('answerHeaders', answerHeaders);
    this.counts = counts;
  }

  /** What its service is asked for: path and query. Undefined: a page that is not for clients. */
  askedOf({ path, query }: Pick<Found<object>, 'path' | 'query'>): string | undefined {
    const asked = this.#rewrite === undefined ? path.path : this.#rewrite.apply(path);
    return this.#hidden?.include(asked) === true ? undefined : asked + query;
  }
}

function hiddenPages({ settings: { health } }: ServiceClient, asked: PathTemplate): PrivatePages | undefined {
  // Backends that are not asked may have them all the same.
  const pages = new PrivatePages(health === false ? HEALTH_DEFAULTS.prefix : health.prefix);
  return pages.areNamedBy(asked) ? undefined : pages;
}

export function noCounts(): RouteCounts {
  return { requests: 0, limited: 0, unknown: 0, unverified: 0, staleServed: 0 };
}
