import type { History } from './history.js';
import { ratesOf } from './rates.js';

/** A customer as the guard counts it and as quotas know it. All a second. */
export interface CustomerRow {
  readonly customer: string;
  /** In the quota's unit; undefined: there is none. */
  readonly quota: number | undefined;
  readonly used: number | undefined;
  readonly demand: number | undefined;
  readonly refusedUnits: number | undefined;
  /** In requests. */
  readonly served: number;
  readonly refused: number;
}

interface QuotaReading {
  readonly customer: string;
  readonly limitPerSecond: number | null;
  readonly usedPerSecond: number;
  readonly demandPerSecond: number;
  readonly refusedPerSecond: number;
}

/** Of the whole fleet where this process divides quotas, else of this process. Busiest first. */
export function customerRows({ current, previous, seconds }: History, most = 20): CustomerRow[] {
  const before = previous?.guard?.customers;
  const after = previous === undefined ? undefined : current?.guard?.customers;
  const ended = ratesOf(before, after, seconds, (counts) => counts.ended);
  const refused = ratesOf(before, after, seconds, (counts) => counts.refused);
  const quota = current?.quota;
  const readings = (quota?.fleet?.customers ??
    quota?.customers ??
    current?.guard?.quota?.customers ??
    []) as readonly QuotaReading[];
  const byCustomer = new Map(readings.map((reading) => [reading.customer, reading]));
  const names = new Set([...byCustomer.keys(), ...Object.keys(current?.guard?.customers ?? {})]);
  return [...names]
    .map((customer) => {
      const reading = byCustomer.get(customer);
      return {
        customer,
        quota: reading?.limitPerSecond ?? undefined,
        used: reading?.usedPerSecond,
        demand: reading?.demandPerSecond,
        refusedUnits: reading?.refusedPerSecond,
        served: ended[customer] ?? 0,
        refused: refused[customer] ?? 0,
      };
    })
    .sort((a, b) => b.served + b.refused - (a.served + a.refused) || (a.customer < b.customer ? -1 : 1))
    .slice(0, most);
}
