import { checkInteger, checkNonNegative, checkOneOf, checkPositive, withDefaults } from '../core/check.js';
import {
  ConcurrencyLimit,
  ConcurrencyLimiter,
  CRITICALITIES,
  createPicker,
  fixedLimit,
  GentleLimit,
  Picker,
  type Policy,
  type PolicyOptions,
  type Random,
  Roster,
  type RosterOptions,
  WaitingLine,
  type WaitingLineOptions,
} from '../core/index.js';
import {
  type ClientOptions,
  type LocalityOptions,
  RETRY_DEFAULTS,
  type RetryOptions,
  SUBSET_DEFAULTS,
  type SubsetOptions,
} from './client-options.js';
import { type ConnectionOptions, checkConnectionOptions } from './connections/connection-options.js';
import { hostnameOf } from './connections/target.js';
import { checkCustomer, type HopDefaults } from './dispatch/hop.js';

/** As long as a connection may take, and a resolver's first answer. */
const START_TIMEOUT_MS = 5_000;

/**
 * Until something was learned, and where learning begins: what one backend may have active (ROSTER_DEFAULTS). More could
 * not be reached, and from a limit that is never reached nothing is learned.
 */
const INITIAL_CONCURRENCY = 100;

/** Options as they are used: checked, with their defaults. */
export interface ClientSettings {
  readonly name: string;
  readonly host: string | undefined;
  readonly subset: SubsetOptions | undefined;
  readonly retry: RetryOptions;
  readonly roster: Partial<RosterOptions>;
  readonly waiting: Partial<WaitingLineOptions>;
  readonly createLimiter: () => ConcurrencyLimiter | undefined;
  readonly connections: ConnectionOptions;
  readonly localities: LocalityOptions | undefined;
  readonly refusals: 'throw' | 'answer';
  readonly startTimeoutMs: number;
  readonly hop: HopDefaults;
  readonly createPicker: (roster: Roster, random: Random) => Picker;
}

/** All that there are: a misspelt one is refused. */
const NAMES: Record<keyof ClientOptions, undefined> = {
  backends: undefined,
  name: undefined,
  host: undefined,
  clientId: undefined,
  subset: undefined,
  policy: undefined,
  throttle: undefined,
  retry: undefined,
  roster: undefined,
  waiting: undefined,
  concurrency: undefined,
  connections: undefined,
  health: undefined,
  localities: undefined,
  criticality: undefined,
  customer: undefined,
  timeoutMs: undefined,
  refusals: undefined,
  startTimeoutMs: undefined,
  spans: undefined,
  environment: undefined,
};

export function checkClientOptions(options: ClientOptions): ClientSettings {
  withDefaults<object>('client', NAMES, options);
  const { policy = 'weighted', localities, criticality, timeoutMs, customer, host } = options;
  if (criticality !== undefined) checkOneOf('criticality', criticality, CRITICALITIES);
  if (timeoutMs !== undefined) checkPositive('timeoutMs', timeoutMs);
  if (host !== undefined) checkHost(host);
  if (customer !== undefined) checkCustomer(customer);
  if (localities !== undefined) checkLocalities(localities, policy);
  // Now, and not when the first backend is found: then there is nobody to tell.
  const roster = new Roster(options.roster);
  if (!isPolicy(policy) && typeof policy !== 'function') pickerOf(policy, roster, () => 0);
  new WaitingLine(options.waiting);
  return {
    name: options.name ?? 'service',
    host,
    subset: checkSubset(options.subset),
    retry: checkRetry(options.retry),
    roster: options.roster ?? {},
    waiting: options.waiting ?? {},
    createLimiter: limiterOf(options.concurrency),
    connections: checkConnectionOptions(options.connections),
    localities,
    refusals: checkOneOf('refusals', options.refusals ?? 'throw', ['throw', 'answer']),
    startTimeoutMs: checkPositive('startTimeoutMs', options.startTimeoutMs ?? START_TIMEOUT_MS),
    hop: { criticality, customer, timeoutMs },
    createPicker: (roster, random) => pickerOf(policy, roster, random),
  };
}

function checkHost(host: string): void {
  try {
    hostnameOf(host);
  } catch {
    throw new RangeError(`host must be a name and perhaps a port, got ${JSON.stringify(host)}`);
  }
}

function checkLocalities(
  { distances = {} }: LocalityOptions,
  policy: NonNullable<ClientOptions['policy']>,
): void {
  if (isPolicy(policy))
    throw new RangeError('policy must be a name or a function where there are localities: each has its own');
  for (const [zone, distance] of Object.entries(distances))
    checkNonNegative(`localities.distances.${zone}`, distance);
}

function limiterOf(concurrency: ClientOptions['concurrency']): ClientSettings['createLimiter'] {
  if (concurrency === undefined) return () => undefined;
  if (concurrency === 'adaptive')
    return () =>
      new ConcurrencyLimiter(new GentleLimit(new ConcurrencyLimit({ initialLimit: INITIAL_CONCURRENCY })));
  checkInteger('concurrency', concurrency, 1);
  return () => new ConcurrencyLimiter(fixedLimit(concurrency));
}

export function checkSubset(given: ClientOptions['subset']): SubsetOptions | undefined {
  if (given === false) return undefined;
  const options = withDefaults('subset', SUBSET_DEFAULTS, given);
  checkInteger('subset.size', options.size, 1);
  checkInteger('subset.seed', options.seed, 0, 0xffff_ffff);
  if (options.seats !== undefined) checkOneOf('subset.seats', options.seats, ['sorted', 'hashed']);
  return options;
}

export function checkRetry(given: ClientOptions['retry']): RetryOptions {
  const options = withDefaults('retry', RETRY_DEFAULTS, given === false ? { maxAttempts: 1 } : given);
  checkInteger('retry.maxAttempts', options.maxAttempts, 1);
  checkInteger('retry.maxBodyBytes', options.maxBodyBytes, 0);
  return options;
}

function isPolicy(policy: NonNullable<ClientOptions['policy']>): policy is Policy {
  return typeof policy === 'object' && 'choose' in policy;
}

function pickerOf(policy: NonNullable<ClientOptions['policy']>, roster: Roster, random: Random): Picker {
  if (typeof policy === 'function') return new Picker(roster, policy(random));
  return isPolicy(policy)
    ? new Picker(roster, policy)
    : createPicker(roster, random, policy as PolicyOptions);
}
