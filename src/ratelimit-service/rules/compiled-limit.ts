import { type Fallback, fallbackOf } from '../../rate-limit/fallback.js';
import type { RateRule } from '../../stores/rate-store.js';
import type { CurrentLimit, Json } from '../messages/limit-response.js';
import { writeCurrentLimit } from '../messages/write-limit-response.js';
import { limitOptionsOf, type RateRules } from './limit-options.js';
import type { DescriptorSettings } from './rules-schema.js';
import { type Unit, unitNamed } from './units.js';

/** What holds when the store gives no decision: `error` leaves it to the caller, whose proxy has a setting for that. */
export type OnStoreFailure = 'allow' | 'refuse' | 'error';

/** A limit of a file, ready to be asked. */
export interface CompiledLimit extends CurrentLimit {
  /** Undefined: nothing is counted. Then it is unlimited, or 0. */
  readonly rate: RateRule | undefined;
  readonly windowMs: number;
  readonly isUnlimited: boolean;
  /** It is counted, but refuses nobody. */
  readonly isShadow: boolean;
  /** The same, and the caller is told. */
  readonly isQuota: boolean;
  /** Names of limits that are not asked when this one is. */
  readonly replaces: readonly string[];
  /** What is refused counts too, as in Envoy's service. */
  readonly countsRefused: boolean;
  readonly onStoreFailure: OnStoreFailure | undefined;
  readonly fallback: Fallback | undefined;
  /** What statistics call it. */
  readonly label: string;
  readonly isDetailed: boolean;
  readonly metadata: { readonly [name: string]: Json } | undefined;
}

/** Undefined when the descriptor has no limit of its own. */
export function compileLimit(
  settings: DescriptorSettings,
  label: string,
  rules: RateRules,
): CompiledLimit | undefined {
  const { rate_limit: given } = settings;
  if (given === undefined || given === null) return undefined;
  const unit = given.unit == null ? undefined : unitNamed(given.unit);
  const extension = given.plimsoll ?? {};
  const options =
    unit === undefined || given.unlimited
      ? undefined
      : limitOptionsOf(given.requests_per_unit ?? 0, unit, extension);
  const rate = options && rules.of(options);
  return {
    ...currentLimit(given.requests_per_unit ?? 0, unit, given.name ?? ''),
    rate,
    windowMs: options?.windowMs ?? unit?.ms ?? 0,
    isUnlimited: given.unlimited,
    isShadow: settings.shadow_mode,
    isQuota: settings.quota_mode,
    replaces: given.replaces?.map(({ name }) => name) ?? [],
    countsRefused: options?.algorithm === 'fixed-window' && extension.count_refused !== false,
    onStoreFailure: extension.on_store_failure,
    fallback: rate && fallbackOf(rate, { onStoreFailure: 'allow', localShare: extension.local_share }),
    label,
    isDetailed: settings.detailed_metric,
    metadata: (settings.metadata as { readonly [name: string]: Json } | null | undefined) ?? undefined,
  };
}

/** A limit that a caller brings along: never in shadow (Envoy's service does the same). */
export function overridingLimit(
  requestsPerUnit: number,
  unit: Unit,
  label: string,
  rate: RateRule | undefined,
): CompiledLimit {
  return {
    ...currentLimit(requestsPerUnit, unit, ''),
    rate,
    windowMs: unit.ms,
    isUnlimited: false,
    isShadow: false,
    isQuota: false,
    replaces: [],
    countsRefused: true,
    onStoreFailure: undefined,
    fallback: rate && fallbackOf(rate, { onStoreFailure: 'allow', localShare: undefined }),
    label,
    isDetailed: false,
    metadata: undefined,
  };
}

function currentLimit(requestsPerUnit: number, unit: Unit | undefined, name: string): CurrentLimit {
  const number = unit?.number ?? 0;
  return { requestsPerUnit, unit: number, name, encoded: writeCurrentLimit(requestsPerUnit, number, name) };
}
