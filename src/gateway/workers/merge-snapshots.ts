/** What is counted: of all workers together it is a sum. */
const GUARD_COUNTS = [
  'inFlight',
  'waiting',
  'connections',
  'counts',
  'refusals',
  'routes',
  'customers',
  'refusedEarly',
  'onlyReported',
  'handlerErrors',
  'malformedHeaders',
] as const;
const ROUTE_COUNTS = ['requests', 'limited', 'unknown', 'unverified', 'staleServed'] as const;

/** As many as one worker shows. */
const MOST_RECENT = 50;
const MOST_BUSIEST = 10;

type Plain = Readonly<Record<string, unknown>>;

export interface MergedSnapshot {
  /** Those that were counted. */
  readonly guard: Plain;
  readonly routes: Readonly<Record<string, Plain>>;
  readonly unrouted: unknown;
  readonly refusedConnections: unknown;
  /** What workers have refused last, newest first. */
  readonly recent: readonly Plain[];
  readonly residentBytes: unknown;
}

/**
 * What several workers have done, added up; each one's own snapshot has the rest. Shares, delays and states of many are
 * not those of one, and are left out.
 */
export function mergeSnapshots(snapshots: readonly object[]): MergedSnapshot {
  const all = snapshots.map(plain);
  const routes = all.map(({ routes }) => plain(routes));
  const guards = all.map(({ guard }) => plain(guard));
  return {
    guard: { ...picked(GUARD_COUNTS, guards), recent: newest(guards) },
    routes: byName(routes, (same) => ({
      ...picked(ROUTE_COUNTS, same),
      limits: byName(
        same.map(({ limits }) => plain(limits)),
        mergeLimits,
      ),
    })),
    recent: newest(all),
    unrouted: sumOf(all.map(({ unrouted }) => unrouted)),
    refusedConnections: sumOf(all.map(({ refusedConnections }) => refusedConnections)),
    residentBytes: sumOf(all.map(({ process }) => plain(process)['residentBytes'])),
  };
}

/** Records of the same name together. */
function byName(records: readonly Plain[], merge: (same: readonly Plain[]) => Plain): Record<string, Plain> {
  const names = new Set(records.flatMap((each) => Object.keys(each)));
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      merge(records.filter((each) => Object.hasOwn(each, name)).map((each) => plain(each[name]))),
    ]),
  );
}

/** Counts are added; keys too, of which each worker knows those that are busy there. */
function mergeLimits(limits: readonly Plain[]): Plain {
  const keys = new Map<string, { key: string; hits: number; refused: number }>();
  for (const each of limits.flatMap(({ busiest }) => list(busiest))) {
    const key = String(each['key']);
    const sum = keys.get(key) ?? { key, hits: 0, refused: 0 };
    keys.set(key, sum);
    sum.hits += Number(each['hits']);
    sum.refused += Number(each['refused']);
  }
  const busiest = [...keys.values()].sort((a, b) => b.hits - a.hits).slice(0, MOST_BUSIEST);
  return { ...plain(sumOf(limits.map(({ busiest: _, ...counts }) => counts))), busiest };
}

function newest(snapshots: readonly Plain[]): Plain[] {
  return snapshots
    .flatMap(({ recent }) => list(recent))
    .sort((a, b) => Number(b['atMs']) - Number(a['atMs']))
    .slice(0, MOST_RECENT);
}

function list(value: unknown): Plain[] {
  return Array.isArray(value) ? value.map(plain) : [];
}

function picked(names: readonly string[], from: readonly Plain[]): Plain {
  return Object.fromEntries(names.map((name) => [name, sumOf(from.map((each) => each[name]))]));
}

/** Numbers are added, in records by their names; whatever else is left out. */
function sumOf(values: readonly unknown[]): unknown {
  const numbers = values.filter((value) => typeof value === 'number');
  if (numbers.length > 0) return numbers.reduce((sum, value) => sum + value, 0);
  const records = values.filter((value) => typeof value === 'object' && value !== null).map(plain);
  if (records.length === 0) return undefined;
  const names = new Set(records.flatMap((each) => Object.keys(each)));
  return Object.fromEntries(
    [...names]
      .map((name) => [name, sumOf(records.map((each) => each[name]))] as const)
      .filter(([, sum]) => sum !== undefined),
  );
}

function plain(value: unknown): Plain {
  return typeof value === 'object' && value !== null ? (value as Plain) : {};
}
