import type { SubsetOptions } from '../../../client/client-options.js';
import { checkSubset } from '../../../client/client-settings.js';
import { chooseSubsetting, type Subsetting } from '../../../client/service/choose-subsetting.js';
import {
  checkInteger,
  checkNonNegative,
  checkOneOf,
  checkPositive,
  withDefaults,
} from '../../../core/check.js';
import {
  createPicker,
  type Picker,
  type PolicyName,
  type PrequalOptions,
  type Random,
  Roster,
  type RosterOptions,
  WAITING_LINE_DEFAULTS,
  type WaitingLineOptions,
  type WeightedOptions,
} from '../../../core/index.js';

/** For those that are not named. */
export const SERVICE_NAME = 'service';

/** Names under which grpc-js knows our policies, as they stand in a service config. */
export const POLICY_TYPES = {
  'round-robin': 'plimsoll_round_robin',
  'least-loaded': 'plimsoll_least_loaded',
  weighted: 'plimsoll_weighted',
  prequal: 'plimsoll_prequal',
} as const satisfies Record<PolicyName, string>;

/** What every policy may be told, besides what it has of its own. All of it is plain data: it stands in a service config. */
export interface GrpcBalancerOptions {
  /** The service's name in metrics, the same as the interceptor's. */
  readonly service?: string;
  /** Which of the backends this client uses; `false`: all. */
  readonly subset?: (Partial<SubsetOptions> & { readonly clientId?: number }) | false;
  /** Flow control, panic, outlier ejection. */
  readonly roster?: Partial<RosterOptions>;
  /** How long, and how many, calls wait when all backends are at their limit. */
  readonly waiting?: Partial<WaitingLineOptions>;
  /** How long a backend is left alone that calls itself a lame duck and keeps its connection. */
  readonly lameDuckMs?: number;
}

/** As Prequal has it elsewhere, and where loads are learned from. */
export interface GrpcPrequalOptions extends Partial<PrequalOptions> {
  /** Where Prequal learns of loads from: `orca` asks (gRFC A51), and reads answers; `answers` only reads answers. */
  readonly probe?: 'orca' | 'answers';
}

/** Options of each policy in a service config. */
export interface GrpcPolicyOptions {
  /** In turn. */
  readonly 'round-robin': GrpcBalancerOptions;
  /** By this client's own calls. */
  readonly 'least-loaded': GrpcBalancerOptions;
  /** By what backends report. */
  readonly weighted: GrpcBalancerOptions & Partial<WeightedOptions>;
  /** By probes. */
  readonly prequal: GrpcBalancerOptions & GrpcPrequalOptions;
}

/** A drain takes 30 s by default, and this is as much again: whoever is still there then has changed its mind. */
const LAME_DUCK_MS = 60_000;

/**
 * Prequal for gRPC. A probe is a call here and costs its server about 83 µs, six times a datagram: two for each pick, for the
 * paper's three. A pick uses one answer up and removes half a one, so the pool grows by half an answer a pick, as with the
 * paper's three, one and one; answers to the calls themselves, where they say as much, come on top.
 */
const PREQUAL_BY_ORCA = Object.freeze({
  probesPerPick: 2,
  removalsPerPick: 0.5,
  // A probe waits for its turn in two event loops, where the paper's 3 ms would be met by idle processes only.
  probeTimeoutMs: 20,
});
/** Nobody is asked, and one answer comes for each pick: just what it uses up. */
const PREQUAL_BY_ANSWERS = Object.freeze({ probesPerPick: 0, removalsPerPick: 0 });

/** Options as they are used: checked, with their defaults. */
export interface PolicySettings {
  readonly json: object;
  readonly service: string;
  readonly subsetting: Subsetting;
  readonly waiting: WaitingLineOptions;
  readonly lameDuckMs: number;
  readonly probe: 'orca' | 'answers';
  createRoster(): Roster;
  createPicker(roster: Roster, random: Random): Picker;
}

/** What a service config says of a policy. Impossible options are refused when it is read. */
export function checkPolicyOptions<N extends PolicyName>(
  name: N,
  given: GrpcPolicyOptions[N],
  random: Random,
): PolicySettings {
  if (typeof given !== 'object' || given === null)
    throw new RangeError(`${POLICY_TYPES[name]} must be an object of options, got ${String(given)}`);
  const { service, subset, roster, waiting, lameDuckMs, ...rest } = given as GrpcBalancerOptions &
    GrpcPrequalOptions;
  const { probe, ...own } = rest;
  if (probe !== undefined && name !== 'prequal') throw new RangeError(`${name} has no option "probe"`);
  const policy =
    name === 'prequal'
      ? { name, ...(probe === 'answers' ? PREQUAL_BY_ANSWERS : PREQUAL_BY_ORCA), ...own }
      : { name, ...own };
  const settings: PolicySettings = {
    json: given,
    service: checkService(service ?? SERVICE_NAME),
    subsetting: subsettingOf(subset, random),
    waiting: checkWaiting(waiting),
    lameDuckMs: checkPositive('lameDuckMs', lameDuckMs ?? LAME_DUCK_MS),
    probe: checkOneOf('probe', probe ?? 'orca', ['orca', 'answers']),
    createRoster: () => new Roster(roster),
    createPicker: (of, by) => createPicker(of, by, policy as Parameters<typeof createPicker>[2]),
  };
  settings.createPicker(settings.createRoster(), random);
  return settings;
}

function checkService(service: unknown): string {
  if (typeof service !== 'string' || service === '')
    throw new RangeError(`service must be a name, got ${JSON.stringify(service)}`);
  return service;
}

function subsettingOf(subset: GrpcBalancerOptions['subset'], random: Random): Subsetting {
  if (subset === false || subset === undefined)
    return chooseSubsetting(checkSubset(subset), undefined, random, false);
  const { clientId, ...given } = subset;
  if (clientId !== undefined) checkInteger('subset.clientId', clientId, 0);
  return chooseSubsetting(checkSubset(given), clientId, random, false);
}

function checkWaiting(given: Partial<WaitingLineOptions> | undefined): WaitingLineOptions {
  const options = withDefaults('waiting', WAITING_LINE_DEFAULTS, given);
  checkNonNegative('maxWaitMs', options.maxWaitMs);
  checkInteger('maxWaiting', options.maxWaiting, 0);
  return options;
}
