import type { LimitRequest } from '../messages/limit-request.js';
import { CODES, type DescriptorStatus, type HeaderValue, type Json } from '../messages/limit-response.js';
import type { Asked } from './asked.js';

/** What headers that tell of limits are called. */
export interface HeaderNames {
  readonly limit: string;
  readonly remaining: string;
  readonly reset: string;
}

const NONE: readonly HeaderValue[] = Object.freeze([]);

/** Of the descriptor that is the closest to its limit, the last of those that are over it. */
export function headersOf(
  statuses: readonly DescriptorStatus[],
  names: HeaderNames | undefined,
): readonly HeaderValue[] {
  if (names === undefined) return NONE;
  let closest: DescriptorStatus | undefined;
  for (const status of statuses) {
    if (status.limit === undefined) continue;
    const isOver = status.code === CODES.overLimit;
    if (closest === undefined || isOver || status.remaining < closest.remaining) closest = status;
  }
  if (closest?.limit === undefined) return NONE;
  return [
    { key: names.limit, value: String(closest.limit.requestsPerUnit) },
    { key: names.remaining, value: String(closest.remaining) },
    { key: names.reset, value: String(closest.resetSeconds) },
  ];
}

/** What later filters of a proxy may read; undefined when there is nothing to say. */
export function metadataOf(
  request: LimitRequest,
  asked: readonly (Asked | undefined)[],
  statuses: readonly DescriptorStatus[],
  isWanted: boolean,
): { readonly [name: string]: Json } | undefined {
  // Of rules that still have something left: a proxy may choose a service by it.
  const own = asked.flatMap((each, i) => {
    const metadata = each?.limit.metadata;
    return metadata !== undefined && statuses[i]!.code !== CODES.overLimit ? [metadata] : [];
  });
  if (!isWanted) return own.length === 0 ? undefined : Object.assign({}, ...own);
  const quota = asked.flatMap((each, i) => (each?.limit.isQuota ? [i] : []));
  const violations = quota.filter((i) => statuses[i]!.code === CODES.overLimit);
  return Object.assign(
    {
      domain: request.domain,
      descriptors: request.descriptors.map(({ entries }) => ({
        entries: entries.map(({ key, value }) => `${key}=${value}`),
      })),
      quotaModeEnabled: quota.length > 0,
    },
    request.hitsAddend > 0 ? { hitsAddend: request.hitsAddend } : {},
    violations.length > 0 ? { quotaModeViolations: violations } : {},
    ...own,
  );
}
