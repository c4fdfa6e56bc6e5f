/** One step of a descriptor. */
export interface Entry {
  readonly key: string;
  readonly value: string;
}

/** A limit that the caller brings along instead of what the rules say. */
export interface LimitOverride {
  readonly requestsPerUnit: number;
  readonly unit: number;
}

export interface Descriptor {
  readonly entries: readonly Entry[];
  readonly override: LimitOverride | undefined;
  /** How much it takes; undefined: what the request says. */
  readonly hits: number | undefined;
  /** It gives back instead. */
  readonly isNegative: boolean;
}

/** `envoy.service.ratelimit.v3.RateLimitRequest`. */
export interface LimitRequest {
  readonly domain: string;
  readonly descriptors: readonly Descriptor[];
  /** 0: it was not said, and is 1. */
  readonly hitsAddend: number;
}

/** A proxy sends a handful; each costs a decision of the store. */
export const MOST_DESCRIPTORS = 100;
/** As deep as trees of rules are allowed to be. */
export const MOST_ENTRIES = 50;
/** Of what is taken at once: counts stay whole numbers (2^53), with a debt on top. */
export const MOST_HITS = 2 ** 48;

export function checkDescriptors(count: number): void {
  if (count > MOST_DESCRIPTORS)
    throw new RangeError(`descriptors must be ${MOST_DESCRIPTORS} at the most, got more`);
}

export function checkEntries(count: number): void {
  if (count > MOST_ENTRIES) throw new RangeError(`entries must be ${MOST_ENTRIES} at the most, got more`);
}

export function checkHits(hits: number): number {
  if (Number.isInteger(hits) && hits >= 0 && hits <= MOST_HITS) return hits;
  throw new RangeError(`hits_addend must be a whole number from 0 to 2^48, got ${hits}`);
}
