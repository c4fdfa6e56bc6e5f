import type { RateRequest, RateRule } from './rate-store.js';

/** Two rules of one name would read each other's numbers. */
export function checkSame(known: RateRule, given: RateRule): void {
  if (known === given) return;
  const names = ['algorithm', 'limit', 'windowMs', 'burst', 'countRefused'] as const;
  const other = names.find((name) => known.options[name] !== given.options[name]);
  if (other !== undefined) {
    throw new RangeError(
      `${other} of rule ${given.name} must be ${known.options[other]} as before in this store, got ${given.options[other]}`,
    );
  }
}

/** All that is asked at once is decided on one state of each key. */
export function checkOnce(requests: readonly RateRequest[]): void {
  for (let i = 1; i < requests.length; i++) {
    for (let j = 0; j < i; j++) {
      if (requests[i]!.key === requests[j]!.key && requests[i]!.rule.name === requests[j]!.rule.name) {
        throw new RangeError(`rules of a request must be distinct, got ${requests[i]!.rule.name} twice`);
      }
    }
  }
}
