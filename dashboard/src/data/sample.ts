import { CRITICALITIES, type Criticality } from '../../../src/core/criticality.js';
import type { LoadReading } from './demo.js';
import { sumOfValues } from './rates.js';
import type { Snapshot } from './snapshot.js';

/** A second of a gateway or a guard: what two snapshots tell together, in units per second, and how the later one is. */
export interface Sample {
  /** Of this page's clock. */
  readonly atMs: number;
  /** Answered in time by somebody who could: below 500, and no 429. */
  readonly goodput: number;
  /** Broken, or the handler's own 5xx. */
  readonly failed: number;
  /** By the guard, which knows how critical they were. */
  readonly refused: Readonly<Record<Criticality, number>>;
  /** All refusals by reason, those of limits, throttles and backends too. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly retries: number;
  readonly utilization: number;
  readonly latencyMs: number | undefined;
  /** How long the last one that was started had waited. */
  readonly queueMs: number;
  readonly inFlight: number;
  readonly waiting: number;
  /** The highest of all services. */
  readonly throttle: number;
  /** What a load generator sees; only in the demo. */
  readonly load: LoadReading | undefined;
}

/** What of a snapshot counts up. Flat, so that the difference of two is a loop. */
export interface Totals {
  readonly ended: number;
  readonly guardFailed: number;
  readonly answered: number;
  readonly backendFailed: number;
  readonly stale: number;
  readonly retries: number;
  readonly refused: Readonly<Record<Criticality, number>>;
  readonly reasons: Readonly<Record<string, number>>;
}

export function totalsOf({ guard, routes = {}, services = {} }: Snapshot): Totals {
  const clients = Object.values(services);
  const sum = (pick: (counts: (typeof clients)[number]['counts']) => number) =>
    clients.reduce((all, { counts }) => all + pick(counts), 0);
  const reasons: Record<string, number> = {};
  const count = (reason: string, more: number) => {
    reasons[reason] = (reasons[reason] ?? 0) + more;
  };
  for (const byReason of Object.values(guard?.refusals ?? {}))
    for (const [reason, refused] of Object.entries(byReason)) count(reason, refused);
  for (const { limited, unknown, unverified } of Object.values(routes)) {
    count('limited', limited);
    count('unknown', unknown);
    count('unverified', unverified);
  }
  for (const { counts } of clients) {
    for (const [code, refused] of Object.entries(counts.rejected)) count(code, refused);
    count('backend-limited', counts.outcomes.limited);
  }
  const byCriticality = guard?.counts;
  const counts = Object.values(byCriticality ?? {});
  return {
    ended: counts.reduce((all, { ended }) => all + ended, 0),
    guardFailed: counts.reduce((all, { failed }) => all + failed, 0),
    answered: sum(({ outcomes }) => outcomes.answered),
    backendFailed: sum(({ outcomes, failed }) => outcomes.failed + failed),
    stale: Object.values(routes).reduce((all, { staleServed }) => all + staleServed, 0),
    retries: sum(({ attempts }) => attempts.slice(1).reduce((all, each) => all + each, 0)),
    refused: Object.fromEntries(
      CRITICALITIES.map((name) => [name, byCriticality?.[name]?.refused ?? 0]),
    ) as Record<Criticality, number>,
    reasons,
  };
}

/** Undefined when the counts went back: it is another process now, and there is nothing to compare. */
export function sampleBetween(
  before: Totals,
  after: Totals,
  seconds: number,
  snapshot: Snapshot,
  atMs: number,
): Sample | undefined {
  if (seconds <= 0 || after.ended < before.ended || after.answered < before.answered) return undefined;
  const rate = (pick: (totals: Totals) => number) => Math.max(0, pick(after) - pick(before)) / seconds;
  const hasServices = Object.keys(snapshot.services ?? {}).length > 0;
  const guardFailed = rate((totals) => totals.guardFailed);
  const reasons: Record<string, number> = {};
  for (const [reason, count] of Object.entries(after.reasons)) {
    const perSecond = Math.max(0, count - (before.reasons[reason] ?? 0)) / seconds;
    if (perSecond > 0) reasons[reason] = perSecond;
  }
  // Of a gateway's 5xx some are its own refusals, some are faults; what is left was passed on from backends that shed.
  const failed = hasServices
    ? Math.min(
        guardFailed,
        rate((totals) => totals.backendFailed),
      )
    : guardFailed;
  const ownRefusals = sumOfValues(
    Object.fromEntries(Object.entries(reasons).filter(([name]) => isCode(name))),
  );
  const shed = guardFailed - failed - ownRefusals;
  if (hasServices && shed > 0.5) reasons['backend'] = shed;
  const { guard } = snapshot;
  return {
    atMs,
    goodput: hasServices
      ? rate((totals) => totals.answered + totals.stale)
      : Math.max(0, rate((totals) => totals.ended) - guardFailed),
    failed,
    refused: Object.fromEntries(
      CRITICALITIES.map((name) => [name, rate((totals) => totals.refused[name])]),
    ) as Record<Criticality, number>,
    reasons,
    retries: rate((totals) => totals.retries),
    utilization: guard?.utilization?.utilization ?? 0,
    latencyMs: snapshot.demo?.load?.p50Ms ?? guard?.report?.latencyMs,
    queueMs: guard?.gate?.queue?.lastWaitMs ?? 0,
    inFlight: guard?.inFlight ?? 0,
    waiting: guard?.waiting ?? 0,
    throttle: throttleOf(snapshot),
    load: snapshot.demo?.load,
  };
}

/** The codes of our own errors, as clients count what they did not send. */
function isCode(reason: string): boolean {
  return reason.startsWith('PLIMSOLL_');
}

function throttleOf({ services = {} }: Snapshot): number {
  let highest = 0;
  for (const { throttle } of Object.values(services))
    for (const { probability } of throttle) highest = Math.max(highest, probability);
  return highest;
}
