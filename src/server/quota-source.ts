import { checkOneOf, withDefaults } from '../core/check.js';
import {
  type QuotaEnforcement,
  type QuotaLimits,
  QuotaMember,
  type QuotaMemberSnapshot,
} from '../core/index.js';
import { checkCustomers } from '../wire/index.js';

/** `when-overloaded`: who exceeds a quota is refused only while this backend has too much to do. */
export type QuotaEnforce = 'always' | 'when-overloaded';

/** Quotas that somebody else looks after: those of `plimsoll/quota` hold for a whole fleet. */
export interface QuotaSource {
  readonly enforcement: QuotaEnforcement;
  /** `cpu`: CPU-seconds, which the guard measures. Anything else is what handlers charge. */
  readonly unit: string;
  readonly enforce: QuotaEnforce;
  snapshot(): QuotaMemberSnapshot;
}

/** Quotas of this backend alone. */
export interface LocalQuota extends QuotaLimits {
  readonly unit?: string;
  readonly enforce?: QuotaEnforce;
}

const LOCAL_DEFAULTS: Required<LocalQuota> = Object.freeze({
  customers: [],
  /** It must be given. */
  everyoneElse: { perSecond: Number.NaN },
  unit: 'cpu',
  // Who pays for a quota can rely on it, and finds out early what it is.
  enforce: 'always',
});

export function quotaSourceOf(given: LocalQuota | QuotaSource): QuotaSource {
  const source = 'enforcement' in given ? given : localSource(given);
  checkOneOf('enforce', source.enforce, ['always', 'when-overloaded']);
  return source;
}

function localSource(given: LocalQuota): QuotaSource {
  const { unit, enforce, ...limits } = withDefaults('quota', LOCAL_DEFAULTS, given);
  const member = new QuotaMember(limits);
  checkCustomers(limits.customers);
  return {
    enforcement: member.enforcement,
    unit,
    enforce,
    snapshot: () => member.snapshot(performance.now()),
  };
}
