import { cut, number } from './cells.js';
import { tableLines } from './lines.js';
import { countedOf, processesOf, type Seen } from './seen.js';

/** Those who use most; others are in the snapshot. */
const MOST_CUSTOMERS = 8;
const MOST_KEYS = 5;

/** Customers with what they may use, use, want and are refused. */
export function customerLines(now: Seen, width: number): string[] {
  const quotas = processesOf(now).flatMap(({ quota }) => quota ?? []);
  const customers = quotas.flatMap(({ customers: each }) => each ?? []);
  if (customers.length === 0) return [];
  const sums = new Map<string, { limit: number; used: number; wanted: number; refused: number }>();
  for (const each of customers) {
    const sum = sums.get(each.customer) ?? { limit: 0, used: 0, wanted: 0, refused: 0 };
    sums.set(each.customer, {
      // JSON has no Infinity: what has no limit comes as null.
      limit: each.limitPerSecond ?? Number.POSITIVE_INFINITY,
      used: sum.used + each.usedPerSecond,
      wanted: sum.wanted + each.demandPerSecond,
      refused: sum.refused + each.refusedPerSecond,
    });
  }
  const rows = [...sums].sort(([, one], [, other]) => other.wanted - one.wanted).slice(0, MOST_CUSTOMERS);
  return [
    '',
    ...tableLines(
      {
        headings: [`customer (${quotas[0]!.unit ?? 'cpu'} a second)`, 'quota', 'used', 'wanted', 'refused'],
        rows: rows.map(([customer, { limit, used, wanted, refused }]) => [
          cut(customer, 28),
          ...[limit, used, wanted, refused].map(number),
        ]),
        texts: 1,
      },
      width,
    ),
  ];
}

/** Rate limits with who comes most often. */
export function limitLines(now: Seen, width: number): string[] {
  const rules = Object.values(countedOf(now).routes ?? {}).flatMap(({ limits }) =>
    Object.entries(limits ?? {}),
  );
  if (rules.length === 0) return [];
  // Routes that name the same rule count together, and say the same of it.
  const rows = [...new Map(rules)].map(([rule, { allowed, refused, busiest = [] }]) => [
    cut(rule, 28),
    number(allowed),
    number(refused),
    busiest
      .slice(0, MOST_KEYS)
      .map(({ key, hits, refused: over }) => `${cut(key, 24)} ${hits}${over > 0 ? ` (−${over})` : ''}`)
      .join(', '),
  ]);
  const [headings, ...lines] = tableLines(
    { headings: ['rate limit', 'allowed', 'refused'], rows: rows.map((row) => row.slice(0, 3)), texts: 1 },
    width,
  );
  return ['', headings!, ...lines.map((line, at) => cut(`${line}  ${rows[at]![3]}`.trimEnd(), width))];
}
