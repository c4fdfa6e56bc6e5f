import { QuotaCoordinator, type QuotaCoordinatorOptions } from './quota-coordinator.js';
import type { QuotaLevels } from './quota-levels.js';
import type { QuotaLimits } from './quota-limits.js';
import { RANKS } from './rank-line.js';
import { DEMAND_AT, REPORT_STRIDE, type UsageReport } from './usage-report.js';

export const LIMITS: QuotaLimits = { everyoneElse: { perSecond: 100 } };

type Rows = Readonly<Record<string, readonly number[] | number>>;

/** Demands by rank, or of CRITICAL alone. As much is used as is wanted, unless said. */
export function report(rows: Rows, used: Rows = rows, isRefused = false): UsageReport {
  const names = [undefined, ...Object.keys(rows)];
  const rates = new Float32Array(names.length * REPORT_STRIDE);
  for (const [index, name] of Object.keys(rows).entries()) {
    rates.set(byRank(used[name]!), (index + 1) * REPORT_STRIDE);
    rates.set(byRank(rows[name]!), (index + 1) * REPORT_STRIDE + DEMAND_AT);
  }
  const refused = new Uint8Array(names.length).fill(isRefused ? 1 : 0);
  return { names, namesVersion: 1, count: names.length, rates, refused, isSuspended: false };
}

function byRank(demand: readonly number[] | number): readonly number[] {
  return typeof demand === 'number' ? [0, 0, demand, 0] : demand;
}

export function coordinator(options?: Partial<QuotaCoordinatorOptions>, limits = LIMITS): QuotaCoordinator {
  const made = new QuotaCoordinator(limits, { learningMs: 0, ...options });
  made.begin(7, 0, 0);
  return made;
}

const clocks = new WeakMap<QuotaCoordinator, number>();

/** All backends say the same again and again, from the time on at which it was last asked. */
export function settled(made: QuotaCoordinator, reports: readonly UsageReport[], ms = 10_000): QuotaLevels {
  let levels: QuotaLevels | undefined;
  const from = clocks.get(made) ?? 0;
  clocks.set(made, from + ms);
  for (let now = from; now <= from + ms; now += 250) {
    for (const [index, each] of reports.entries()) made.report(String(index), each, 0, now);
    levels = made.divide(now);
  }
  return levels!;
}

export function rowOf(levels: QuotaLevels, customer: string) {
  const row = levels.names.indexOf(customer);
  const spare = [...levels.spare.subarray(row * RANKS, row * RANKS + RANKS)];
  return { rank: levels.rank[row], level: levels.level[row], isHeld: levels.isHeld[row], spare };
}
