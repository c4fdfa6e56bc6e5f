import type {
  BackendPart,
  GuardPart,
  RoutePart,
  ServicePart,
  Snapshot,
  WorkersSnapshot,
} from './snapshot.js';

/**
 * All workers as if they were one: what is counted is added; of what is not, the fullest worker speaks for all, since it is
 * the one that refuses first.
 */
export function asOne({ workers, demo }: WorkersSnapshot): Snapshot {
  const all = Object.values(workers);
  const fullest = all.reduce<Snapshot | undefined>(
    (a, b) => (a === undefined || utilizationOf(b) > utilizationOf(a) ? b : a),
    undefined,
  );
  if (fullest === undefined) return demo === undefined ? {} : { demo };
  const guards = all.flatMap(({ guard }) => guard ?? []);
  const part: Snapshot = {
    ...fullest,
    // Each has a clock of its own, which the others' counts do not go by.
    process: { residentBytes: all.reduce((sum, { process }) => sum + (process?.residentBytes ?? 0), 0) },
    routes: joined(
      all.map(({ routes }) => routes ?? {}),
      sumRoutes,
    ),
    services: joined(
      all.map(({ services }) => services ?? {}),
      sumServices,
    ),
    recent: newestFirst(all.flatMap(({ recent }) => recent ?? [])),
    ...quotaOf(all.flatMap(({ quota }) => quota ?? [])),
    ...(guards.length === 0 ? {} : { guard: sumGuards(fullest.guard ?? guards[0]!, guards) }),
  };
  return demo === undefined ? part : { ...part, demo };
}

function utilizationOf({ guard }: Snapshot): number {
  return guard?.utilization?.utilization ?? 0;
}

function sumGuards(speaker: GuardPart, guards: readonly GuardPart[]): GuardPart {
  const summed = (
    name: 'counts' | 'refusals' | 'routes' | 'customers' | 'inFlight' | 'waiting' | 'connections',
  ) => addUp(guards.map((guard) => guard[name]));
  return {
    ...speaker,
    inFlight: summed('inFlight') as number,
    waiting: summed('waiting') as number,
    connections: summed('connections') as number,
    counts: summed('counts') as GuardPart['counts'],
    refusals: summed('refusals') as GuardPart['refusals'],
    routes: summed('routes') as GuardPart['routes'],
    customers: summed('customers') as GuardPart['customers'],
    recent: newestFirst(guards.flatMap(({ recent }) => recent ?? [])),
  };
}

type QuotaPart = NonNullable<Snapshot['quota']>;

/** Whoever divides quotas knows of all; else each knows what was used at its own place, of one limit. */
function quotaOf(quotas: readonly QuotaPart[]): Pick<Snapshot, 'quota'> {
  const [first] = quotas;
  if (first === undefined) return {};
  const coordinator = quotas.find(({ fleet }) => fleet !== undefined && fleet !== null);
  if (coordinator !== undefined) return { quota: coordinator };
  const byCustomer = new Map<string, QuotaPart['customers'][number]>();
  for (const each of quotas.flatMap(({ customers }) => customers)) {
    const other = byCustomer.get(each.customer);
    byCustomer.set(each.customer, {
      ...each,
      usedPerSecond: each.usedPerSecond + (other?.usedPerSecond ?? 0),
      demandPerSecond: each.demandPerSecond + (other?.demandPerSecond ?? 0),
      refusedPerSecond: each.refusedPerSecond + (other?.refusedPerSecond ?? 0),
    });
  }
  return { quota: { ...first, customers: [...byCustomer.values()] } };
}

function sumRoutes(routes: readonly RoutePart[]): RoutePart {
  return { ...(addUp(routes) as RoutePart), service: routes[0]!.service };
}

function sumServices(services: readonly ServicePart[]): ServicePart {
  const [first] = services as [ServicePart];
  const backends = new Map<string, BackendPart>();
  for (const backend of services.flatMap((service) => service.backends)) {
    const other = backends.get(backend.url);
    const active = backend.active + (other?.active ?? 0);
    const connections = backend.connections + (other?.connections ?? 0);
    // One worker that sees trouble is worth more than another that does not yet.
    const state = other !== undefined && other.state !== 'ready' ? other.state : backend.state;
    backends.set(backend.url, { ...other, ...backend, active, connections, state });
  }
  return {
    ...first,
    backends: [...backends.values()],
    active: addUp(services.map(({ active }) => active)) as number,
    waiting: addUp(services.map(({ waiting }) => waiting)) as number,
    throttle: services.flatMap(({ throttle }) => throttle),
    retryBudget: addUp(services.map(({ retryBudget }) => retryBudget)) as ServicePart['retryBudget'],
    counts: addUp(services.map(({ counts }) => counts)) as ServicePart['counts'],
  };
}

function newestFirst<T extends { readonly atMs: number }>(decisions: readonly T[]): readonly T[] {
  return [...decisions].sort((a, b) => b.atMs - a.atMs).slice(0, 50);
}

/** Those of one name together. */
function joined<T>(
  records: readonly Readonly<Record<string, T>>[],
  join: (same: readonly T[]) => T,
): Readonly<Record<string, T>> {
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      join(records.flatMap((record) => (Object.hasOwn(record, name) ? [record[name]!] : []))),
    ]),
  );
}

/** Numbers are added, in lists by place and in records by name; of anything else the first holds. */
function addUp(values: readonly unknown[]): unknown {
  const [first] = values;
  if (typeof first === 'number')
    return values.reduce<number>((sum, value) => sum + (typeof value === 'number' ? value : 0), 0);
  if (Array.isArray(first)) {
    const lists = values.filter(Array.isArray) as unknown[][];
    if (lists.some(isKeyed)) return addUpByKey(lists.flat() as Keyed[]);
    const longest = lists.reduce((a, b) => (b.length > a.length ? b : a));
    return longest.map((_, i) => addUp(lists.flatMap((list) => (i < list.length ? [list[i]] : []))));
  }
  if (typeof first !== 'object' || first === null) return first;
  const records = values.filter((value) => typeof value === 'object' && value !== null);
  return joined(records as Readonly<Record<string, unknown>>[], addUp);
}

/** One of a list by rank, such as the busiest keys of a limit: what stands third at one worker may be first at another. */
interface Keyed {
  readonly key: string;
  readonly hits: number;
}

function isKeyed(list: readonly unknown[]): boolean {
  const [first] = list;
  return typeof first === 'object' && first !== null && 'key' in first && 'hits' in first;
}

function addUpByKey(all: readonly Keyed[]): Keyed[] {
  const byKey = new Map<string, Keyed>();
  for (const each of all) {
    const { key } = each;
    const other = byKey.get(key);
    byKey.set(key, other === undefined ? each : { ...(addUp([other, each]) as Keyed), key });
  }
  return [...byKey.values()].sort((a, b) => b.hits - a.hits);
}
