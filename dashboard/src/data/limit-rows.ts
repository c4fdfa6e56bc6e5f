import type { History } from './history.js';
import type { LimitPart } from './snapshot.js';

/** A rule of a route. Counts since the start, and what it refuses now. */
export interface LimitRow {
  readonly route: string;
  readonly rule: string;
  readonly counts: LimitPart;
  readonly allowedPerSecond: number | undefined;
  readonly refusedPerSecond: number | undefined;
}

export function limitRows({ current, previous, seconds }: History): LimitRow[] {
  return Object.entries(current?.routes ?? {}).flatMap(([route, { limits = {} }]) =>
    Object.entries(limits).map(([rule, counts]) => {
      const before = previous?.routes?.[route]?.limits?.[rule];
      const rate = (pick: (counts: LimitPart) => number) =>
        before === undefined || seconds <= 0 ? undefined : Math.max(0, pick(counts) - pick(before)) / seconds;
      return {
        route,
        rule,
        counts,
        allowedPerSecond: rate(({ allowed }) => allowed),
        refusedPerSecond: rate(({ refused, queued }) => refused + queued),
      };
    }),
  );
}
