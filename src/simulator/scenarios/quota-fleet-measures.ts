import { type Fleet, type GroupSample, rateLine } from '../fleet/index.js';
import type { Line } from '../report/figure.js';
import type { Row } from '../report/result.js';
import { BATCH, CUSTOMERS, type QuotaFleetOptions, quotaOf } from './quota-fleet-input.js';

/** What became of a customer's requests in a stretch of time. */
export interface Got {
  readonly offered: number;
  /** Let in by the quota and everything else: who is let in counts at once, however long it takes. */
  readonly admitted: number;
  /** Told that the quota is used up. */
  readonly limited: number;
  /** Other errors. */
  readonly failed: number;
}

/** From one instant of the measured time to another. */
export function gotBy(fleet: Fleet, groups: readonly string[], fromMs: number, toMs: number): Got {
  const got = { offered: 0, admitted: 0, limited: 0, failed: 0 };
  const { warmupMs } = fleet.spec;
  for (const sample of fleet.samples) {
    if (sample.fromMs < warmupMs + fromMs || sample.timeMs > warmupMs + toMs) continue;
    for (const group of groups) {
      const { offered, ends } = sample.groups[group]!;
      got.offered += offered;
      got.admitted += admittedOf(sample.groups[group]!);
      got.limited += ends.limited;
      got.failed += ends.shed + ends.unsent + ends['timed-out'] + ends.broken;
    }
  }
  return got;
}

/** Refusals are answered at once, in the same stretch as a rule. */
function admittedOf({ offered, ends }: GroupSample): number {
  return offered - ends.limited - ends.shed - ends.unsent;
}

/** All but the offender. */
export function othersThan(offender: string): string[] {
  return CUSTOMERS.filter((customer) => customer !== offender);
}

/** What the offender uses, over its quota. */
export function overQuota(fleet: Fleet, options: QuotaFleetOptions, fromMs: number, toMs: number): number {
  const { costMs, offender, scale } = options;
  const { admitted } = gotBy(fleet, [offender, BATCH], fromMs, toMs);
  return (admitted * costMs) / (toMs - fromMs) / quotaOf(offender, scale);
}

/** Of its requests, the share refused for its quota by whoever is worst off of those within theirs. */
export function worstLimitedShare(fleet: Fleet, offender: string, fromMs: number, toMs: number): number {
  const shares = othersThan(offender).map((customer) => {
    const { limited, offered } = gotBy(fleet, [customer], fromMs, toMs);
    return offered === 0 ? 0 : limited / offered;
  });
  return Math.max(...shares);
}

/** One row for each customer that has a name in the text, and for the others together. */
export function customerRows(
  fleet: Fleet,
  options: QuotaFleetOptions,
  section: string,
  fromMs: number,
  toMs: number,
): Row[] {
  const { costMs, offender, scale } = options;
  const named = CUSTOMERS.filter((customer) => !customer.startsWith('other-'));
  const rest = CUSTOMERS.filter((customer) => customer.startsWith('other-'));
  const tables: [name: string, groups: readonly string[], quotaCpu: number | null][] = [
    ...named.map((customer): [string, readonly string[], number] => [
      customer,
      customer === offender ? [customer, BATCH] : [customer],
      quotaOf(customer, scale),
    ]),
    [`${rest.length} others`, rest, null],
  ];
  return tables.map(([customer, groups, quotaCpu]) => {
    const { offered, admitted, limited, failed } = gotBy(fleet, groups, fromMs, toMs);
    const cpu = (requests: number) => (requests * costMs) / (toMs - fromMs);
    return {
      section,
      customer,
      quotaCpu,
      wantsCpu: cpu(offered),
      usesCpu: cpu(admitted),
      quotaErrorShare: limited / offered,
      otherErrorShare: failed / offered,
    };
  });
}

/** CPU-seconds a second, as the quota lets them in. */
export function admittedLine(fleet: Fleet, { costMs }: QuotaFleetOptions, group: string, name: string): Line {
  return rateLine(fleet, group, name, (sample) => (admittedOf(sample) * costMs) / 1_000);
}
