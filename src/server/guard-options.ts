import type { PropagationMode } from '../context/index.js';
import { checkInteger, checkNonNegative, checkOneOf, checkPositive, withDefaults } from '../core/check.js';
import type { Criticality, RunQueueOptions, ThresholdOptions } from '../core/index.js';
import type { CpuOptions } from './cpu/index.js';
import type { GuardMode } from './door.js';
import type { HealthOptions } from './health/guard-health.js';
import type { RequestHead } from './intake/request-head.js';
import { type RouteOptions, Routes } from './intake/routes.js';
import type { ServerLimits } from './intake/server-limits.js';
import type { Trust } from './intake/trust.js';
import type { LocalQuota, QuotaSource } from './quota-source.js';
import type { SignalOptions } from './signals/signal-options.js';
import type { StaleOptions } from './stale/stale-options.js';

/** All that a guard can be told. There is a default for each, and `createGuard()` is a guard that works. */
export interface GuardOptions {
  /** Begins as not ready: connections are accepted, requests are not, until `ready()`. */
  readonly starting: boolean;
  /** Requests that come before `ready()` wait so long for it, instead of being refused at once. */
  readonly holdMs: number;
  /** Whether it refuses, only counts what it would refuse, or lets everything pass. */
  readonly mode: GuardMode;
  /** Whose headers about criticality, deadline, attempt and customer are believed. */
  readonly trust: Trust;
  /** Whose request it is. Undefined from it: what a trusted sender says, else `anonymous`. */
  readonly customer: ((head: RequestHead) => string | undefined) | undefined;
  /** How critical it is, whatever the sender says. Undefined from it: what a trusted sender says, else CRITICAL. */
  readonly criticality: ((head: RequestHead) => Criticality | undefined) | undefined;
  /**
   * Whether it will wait for its turn in a line that its handler keeps, and that yields to all others: then load does not
   * keep it out, only its deadline and the quota of its customer. Whoever says so bounds that line.
   */
  readonly aside: ((head: RequestHead) => boolean) | undefined;
  /** No request is given longer than this; its deadline is the earlier of this and what its sender allows. */
  readonly timeoutMs: number | undefined;
  /** What is known of groups of requests beforehand; the first that matches counts. */
  readonly routes: readonly RouteOptions[];
  /** Utilizations at which each criticality is degraded and refused. */
  readonly thresholds: Partial<Record<Criticality, Partial<ThresholdOptions>>>;
  /** How long requests may wait for their turn. */
  readonly queue: Partial<RunQueueOptions>;
  /** How many requests run at once: found out, or fixed. */
  readonly concurrency: 'adaptive' | number;
  /** What utilization is: queue time and memory, unless there is more. */
  readonly signals: Partial<SignalOptions>;
  /** What customers may use: of this backend alone, or of a whole fleet (`createQuota` of `plimsoll/quota`). */
  readonly quota: LocalQuota | QuotaSource | undefined;
  /** How the CPU time of requests is measured. */
  readonly cpu: Partial<CpuOptions>;
  /** How far `currentRequest()` reaches. */
  readonly context: PropagationMode;
  /** Bounds of connections and of single requests. */
  readonly limits: Partial<ServerLimits>;
  /** How it tells others how it is; `false`: not at all. */
  readonly health: Partial<HealthOptions> | false;
  /** Answer from a stale copy what is to be degraded; nothing is copied unless it is asked for. */
  readonly stale: Partial<StaleOptions> | false;
  /** Refuse when headers are complete, if this Node passes the self-test; `off`: by documented means alone. */
  readonly earlyRefusal: 'auto' | 'off';
  /** Told of errors of handlers and of functions given here. */
  readonly onError: (error: unknown) => void;
}

export const GUARD_DEFAULTS: GuardOptions = Object.freeze({
  starting: false,
  holdMs: 0,
  mode: 'enforce',
  // One's own services are at private addresses. Behind a proxy that does not strip these headers say `none`.
  trust: 'private',
  customer: undefined,
  criticality: undefined,
  aside: undefined,
  timeoutMs: undefined,
  routes: [],
  thresholds: {},
  queue: {},
  concurrency: 'adaptive',
  signals: {},
  quota: undefined,
  cpu: {},
  context: 'auto',
  limits: {},
  health: {},
  stale: false,
  earlyRefusal: 'auto',
  onError: (error: unknown) => console.error(error),
});

export function checkGuardOptions(given: Partial<GuardOptions> | undefined): GuardOptions {
  const options = withDefaults('guard', GUARD_DEFAULTS, given);
  checkOneOf('mode', options.mode, ['enforce', 'dry-run', 'off']);
  checkOneOf('earlyRefusal', options.earlyRefusal, ['auto', 'off']);
  checkOneOf('context', options.context, ['auto', 'always', 'off']);
  checkNonNegative('holdMs', options.holdMs);
  if (options.timeoutMs !== undefined) checkPositive('timeoutMs', options.timeoutMs);
  if (options.concurrency !== 'adaptive') checkInteger('concurrency', options.concurrency, 1);
  return options;
}

/** What routes are said to cost is what the meter goes by until it knows. */
export function withHints({ cpu, routes }: GuardOptions): Partial<CpuOptions> {
  const known = new Routes(routes).hints();
  return { ...cpu, hints: { ...known, ...cpu.hints } };
}
