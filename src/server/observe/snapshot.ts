import type {
  Criticality,
  Gate,
  GateState,
  LoadReport,
  QuotaMemberSnapshot,
  RefusalReason,
} from '../../core/index.js';
import type { CpuTotals } from '../cpu/index.js';
import type { Decisions } from '../decisions.js';
import type { GuardMode } from '../door.js';
import type { GuardedRequest } from '../guarded-request.js';
import type { UtilizationReport } from '../signals/utilization.js';
import type { RecentRefusal } from './recent-refusals.js';
import { type Counts, copied, type Tally } from './tally.js';

/** What a guard does and why, as plain data. */
export interface GuardSnapshot {
  readonly mode: GuardMode;
  readonly state: GateState;
  /** In a sentence: what it refuses at present, and which signal is the cause. */
  readonly why: string;
  /** Waiting or running. */
  readonly inFlight: number;
  readonly waiting: number;
  readonly connections: number;
  /** Refuses before requests are made of headers; false: by documented means alone. */
  readonly isRefusingEarly: boolean;
  readonly gate: ReturnType<Gate<GuardedRequest>['explain']>;
  readonly utilization: UtilizationReport;
  readonly report: LoadReport;
  /** Since the start. */
  readonly counts: Readonly<Record<Criticality, Counts>>;
  readonly refusals: Readonly<Record<Criticality, Readonly<Record<RefusalReason, number>>>>;
  /** Some of those that were refused last, newest first: at most 50, of each criticality and reason. */
  readonly recent: readonly RecentRefusal[];
  readonly routes: Readonly<Record<string, Counts>>;
  readonly customers: Readonly<Record<string, Counts>>;
  readonly refusedEarly: number;
  /** In dry-run: what would have been refused. */
  readonly onlyReported: number;
  readonly handlerErrors: number;
  /** Values of our headers that made no sense. */
  readonly malformedHeaders: number;
  readonly cpu: CpuTotals;
  /** Undefined without quotas. */
  readonly quota: QuotaMemberSnapshot | undefined;
}

/** Says in words what the numbers of a gate mean. */
export function whyOf(
  mode: GuardMode,
  state: GateState,
  explained: GuardSnapshot['gate'],
  { signals }: UtilizationReport,
): string {
  if (mode === 'off') return 'switched off: everything passes';
  if (state !== 'ready' && state !== 'lame-duck') return `refuses everything: it is ${state}`;
  const refused = explained.refusedShares.filter(({ refusedShare }) => refusedShare > 0);
  if (refused.length === 0) return 'refuses nothing';
  const shares = refused.map(
    ({ criticality, refusedShare }) => `${Math.round(100 * refusedShare)} % of ${criticality}`,
  );
  const highest = signals.reduce((a, b) => (b.utilization > a.utilization ? b : a));
  const verb = mode === 'dry-run' ? 'would refuse' : 'refuses';
  return `${verb} ${shares.join(', ')}: ${highest.name} is at ${highest.utilization.toFixed(2)} of its target`;
}

/** What only the guard itself knows. */
type OwnReadings = Pick<
  GuardSnapshot,
  'mode' | 'connections' | 'isRefusingEarly' | 'report' | 'malformedHeaders' | 'cpu'
>;

export function takeSnapshot(
  { gate, utilization, quota }: Decisions,
  tally: Tally,
  now: number,
  own: OwnReadings,
): GuardSnapshot {
  const explained = gate.explain(now);
  const read = utilization.explain(now);
  return {
    ...own,
    state: gate.state,
    why: whyOf(own.mode, gate.state, explained, read),
    inFlight: gate.inFlight,
    waiting: gate.waiting,
    gate: explained,
    utilization: read,
    counts: tally.counts(),
    refusals: tally.refusals.counts(),
    recent: tally.refusals.recent(),
    routes: copied(tally.routes.entries()),
    customers: copied(tally.customers.entries()),
    refusedEarly: tally.early,
    onlyReported: tally.onlyReported,
    handlerErrors: tally.handlerErrors,
    quota: quota?.snapshot(),
  };
}
