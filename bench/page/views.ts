import type { Report } from '../report.js';
import type { Row } from './lookup.js';

/** Which columns of a report the page has, and what is divided by what. */
interface View {
  /** How the report's name begins. */
  readonly report: string;
  /** All when nothing is said. */
  readonly columns?: readonly string[];
  readonly ratios?: Ratios;
}

/** Absolute figures are those of one machine: beside them stands what they are of the same figure of another. */
interface Ratios {
  /** The row that others are compared with has this … */
  readonly base: Row;
  /** … and the same here. */
  readonly alike?: readonly string[];
  readonly columns: readonly string[];
}

const FLOOD = ['server', 'load', 'goodput', 'share', 'p50Ms', 'p99Ms', 'refusalP50Ms', 'criticalPlus'];

const VIEWS: readonly View[] = [
  {
    report: 'overload: waits for a dependency',
    columns: [...FLOOD, 'mostRunning', 'growthMb'],
    ratios: { base: { server: 'bare' }, columns: ['goodput', 'p99Ms'] },
  },
  { report: 'overload: a burst' },
  { report: 'overload: 2 ms', columns: FLOOD },
  { report: 'overload: 1 ms', columns: FLOOD },
  { report: 'overload: peers', columns: [...FLOOD, 'timedOutPerSecond'] },
  {
    report: 'grpc: unary',
    columns: FLOOD,
    ratios: { base: { server: 'grpc-js' }, alike: ['load'], columns: ['goodput', 'p99Ms'] },
  },
  {
    report: 'grpc: CPU of one answer',
    ratios: { base: { server: 'grpc-js' }, columns: ['cpuMicroseconds'] },
  },
  {
    report: 'client: one of four',
    ratios: { base: { sender: 'balanced-pool' }, columns: ['p50 ms', 'p99 ms'] },
  },
  {
    report: 'client: requests through it',
    columns: ['sender', 'requests/s', 'p99 ms', 'CPU µs'],
    ratios: { base: { sender: 'undici Pool' }, columns: ['requests/s', 'p99 ms', 'CPU µs'] },
  },
  {
    report: 'ratelimit: decisions on Redis',
    ratios: {
      base: { name: 'rate-limiter-flexible' },
      columns: ['decisions/s', 'p99 ms', 'cpu µs'],
    },
  },
  {
    report: 'proxy: requests a second',
    columns: ['proxy', 'requests/s', 'of nginx', 'CPU µs/request'],
    ratios: { base: { proxy: 'http-proxy' }, columns: ['requests/s'] },
  },
  {
    report: 'proxy: latency',
    ratios: { base: { way: 'direct' }, columns: ['p50 ms', 'p99 ms'] },
  },
  {
    report: 'quota: a backend with Redis',
    ratios: { base: { name: 'limits of its own' }, columns: ['core %'] },
  },
  { report: 'picking', columns: ['policy', 'backends', 'perSecond', 'worst', 'best', 'bytesPerOperation'] },
];

/** Columns that are named as code names them. */
const LABELS: Readonly<Record<string, string>> = {
  goodput: 'good answers/s',
  share: 'of its own peak',
  p50Ms: 'p50 ms',
  p99Ms: 'p99 ms',
  refusalP50Ms: 'refusal p50 ms',
  criticalPlus: 'CRITICAL_PLUS served',
  timedOutPerSecond: 'timed out/s',
  mostRunning: 'most at once',
  growthMb: 'MB more',
  longestMs: 'longest ms',
  settledMs: 'settled after ms',
  firstRefusalMs: 'first refusal after ms',
  perSecond: 'per second',
  cpuMicroseconds: 'CPU µs',
  speed: 'requests/s to the first',
  cost: 'CPU to the first',
  bytesPerOperation: 'bytes each',
  medianMs: 'median ms',
  bestMs: 'best ms',
  worstMs: 'worst ms',
  trueMs: 'true ms',
  clockMs: 'by the clock ms',
  accountedMs: 'accounted ms',
  microsecondsPerRequest: 'µs a request',
  eventsPerRequest: 'events a request',
  eventsPerSecond: 'events/s',
  megabytes: 'MB',
};

const labelOf = (column: string): string => LABELS[column] ?? column;

/** A report as the page shows it. */
export function viewOf(report: Report): { readonly columns: readonly string[]; readonly rows: Row[] } {
  const rows = (report.rows as readonly Row[]).map(withoutEmptyFigures);
  const view = VIEWS.find((each) => report.bench.startsWith(each.report));
  const known = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const shown = (view?.columns ?? known).filter((column) => known.includes(column));
  const ratios = view?.ratios && ratiosOf(rows, view.ratios);
  return {
    columns: [...shown.map(labelOf), ...(ratios?.columns ?? [])],
    rows: rows.map((row, at) => ({
      ...Object.fromEntries(shown.map((column) => [labelOf(column), row[column]])),
      ...ratios?.rows[at],
    })),
  };
}

function ratiosOf(rows: readonly Row[], { base, alike = [], columns }: Ratios) {
  const isBase = (row: Row) => Object.keys(base).every((key) => row[key] === base[key]);
  if (!rows.some(isBase)) return undefined;
  const name = Object.values(base).join(', ');
  const known = columns.filter((column) => rows.some((row) => typeof row[column] === 'number'));
  const headed = known.map((column) => [column, `${labelOf(column)}, to ${name}`] as const);
  return {
    columns: headed.map(([, heading]) => heading),
    rows: rows.map((row) => {
      const other = rows.find((each) => isBase(each) && alike.every((key) => each[key] === row[key]));
      return Object.fromEntries(
        headed.map(([column, heading]) => [heading, other && ratio(row[column], other[column])]),
      );
    }),
  };
}

/** None where there is nothing to compare with. */
export function ratio(value: unknown, to: unknown): number | undefined {
  if (typeof value !== 'number' || typeof to !== 'number' || to === 0) return undefined;
  return Number((value / to).toPrecision(3));
}

/** Of no answers there is no latency: a zero would look like a good one. */
export function withoutEmptyFigures(row: Row): Row {
  const { goodput, refusedPerSecond } = row;
  return {
    ...row,
    ...(goodput === 0 ? { p50Ms: undefined, p99Ms: undefined } : {}),
    ...(refusedPerSecond === 0 ? { refusalP50Ms: undefined } : {}),
  };
}
