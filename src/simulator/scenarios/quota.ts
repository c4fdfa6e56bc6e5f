import { type Fleet, type FleetInput, type GroupSample, rateLine } from '../fleet/index.js';
import type { Figure, LinePanel } from '../report/figure.js';
import { atLeast, atMost, between, type Row } from '../report/result.js';
import { runFleets } from './run-fleets.js';
import type { Scenario } from './scenario.js';

/**
 * Quotas (SRE ch. 21, "Per-Customer Limits"): Gmail 4,000, Calendar 4,000, Android 3,000, Google+ 2,000 and everyone
 * else 500 each, of 10,000 CPU-seconds a second; here a five-hundredth of that. A customer's clients use some of the
 * backends, and some clients ask for more than others: an equal part of a quota at each backend would be too little at
 * some and lie idle at others. Then Android asks for four times its quota. Claimed: only Android gets errors, its least
 * critical requests first, and it still gets all that its quota allows. Beside it the same with equal parts, which
 * nobody divides anew, and without quotas.
 *
 * Not at once: a quota allows a burst of two seconds' worth. While Android spends what it has saved up, the backends
 * have too much and shed a few of others' requests too: a check of its own.
 */
const BACKENDS = 20;
const COST_MS = 10;
const QUOTAS = { gmail: 8, calendar: 8, android: 6, 'google+': 4 };
const EVERYONE_ELSE = 1;

const WARMUP_MS = 5_000;
/** Seconds of the measured time. */
const SURGE_AT = 10;
const SETTLED_AT = 15;
const SECONDS = 35;

interface Part {
  readonly customer: string;
  readonly clients: number;
  /** CPU-seconds a second. */
  readonly wants: number;
  readonly isSheddable?: boolean;
  readonly surge?: number;
}

/**
 * 7 of 20 CPU-seconds without Android, 13 with what it may use: 65 % busy. All that it asks for in the end, 24, would
 * be 155 %, and its critical part alone 107 %: shedding by criticality cannot save the others.
 */
const GROUPS: Readonly<Record<string, Part>> = {
  gmail: { customer: 'gmail', clients: 10, wants: 3 },
  calendar: { customer: 'calendar', clients: 10, wants: 2 },
  'google+': { customer: 'google+', clients: 4, wants: 1 },
  startup: { customer: 'startup', clients: 1, wants: 0.5 },
  university: { customer: 'university', clients: 1, wants: 0.5 },
  android: { customer: 'android', clients: 10, wants: 2.4, surge: 6 },
  'android sync': { customer: 'android', clients: 10, wants: 1.6, surge: 6, isSheddable: true },
};

function clientsOf({ customer, clients, wants, isSheddable, surge }: Part): FleetInput['clients'][string] {
  return {
    service: 'store',
    customer,
    count: clients,
    subset: { size: 8 },
    policy: 'weighted',
    criticality: isSheddable ? 'SHEDDABLE' : 'CRITICAL',
    // One client alone is what its customer wants.
    demand: clients > 1 ? { lognormal: { median: 1, sigma: 0.5 } } : 1,
    arrivals: {
      perSecond: (wants * 1_000) / COST_MS / clients,
      steps: surge === undefined ? [] : [{ atMs: WARMUP_MS + SURGE_AT * 1_000, factor: surge }],
    },
  };
}

type Service = FleetInput['services'][string];

function store(part: Pick<Service, 'quota'>): FleetInput {
  return {
    durationMs: SECONDS * 1_000,
    warmupMs: WARMUP_MS,
    services: { store: { backends: BACKENDS, costMs: { exponential: { mean: COST_MS } }, ...part } },
    clients: Object.fromEntries(Object.entries(GROUPS).map(([name, part]) => [name, clientsOf(part)])),
  };
}

const quota = { customers: QUOTAS, everyoneElse: EVERYONE_ELSE };
const RUNS: readonly { readonly name: string; readonly input: FleetInput }[] = [
  { name: 'quota, divided by use', input: store({ quota }) },
  // Never within the run.
  { name: 'quota, equal parts', input: store({ quota: { ...quota, everyMs: 1e9 } }) },
  { name: 'no quota', input: store({}) },
];

/** After the surge has settled. */
interface Settled {
  readonly offered: number;
  readonly served: number;
  readonly failed: number;
}

interface Look {
  readonly rows: readonly Row[];
  readonly groups: Readonly<Record<string, Settled>>;
  /** Of all customers that keep within their quotas. */
  readonly othersFailedShare: number;
  /** The same while the surge is new. */
  readonly othersFailedAtFirstShare: number;
  readonly worstFailedShare: number;
  readonly panel: LinePanel;
}

export const quotaScenario: Scenario = {
  name: 'quota',
  claim:
    'a customer asks for four times its quota: as soon as its savings are spent, only that customer gets errors',
  run(options) {
    const looks = runFleets(
      RUNS.map(({ input }) => input),
      options,
      (fleet, index) => look(fleet, RUNS[index]!.name),
    );
    const [divided, equal, none] = looks as [Look, Look, Look];
    const { android, 'android sync': sync } = divided.groups;
    const androidUses = cpuOf(android!.served + sync!.served);
    const checks = [
      atMost('errors of the others, share of their requests', divided.othersFailedShare, 0.002),
      atMost('errors of the worst-off of the others', divided.worstFailedShare, 0.005),
      atMost(
        'errors of the others while Android spends what it saved',
        divided.othersFailedAtFirstShare,
        0.02,
      ),
      between('what Android uses, over its quota', androidUses / QUOTAS.android, 0.95, 1.05),
      // SRE ch. 21: a criticality is refused only when all lower ones are.
      atMost(
        'sheddable requests of Android served, while critical ones are refused',
        sync!.served / sync!.offered,
        0.02,
      ),
      atLeast('errors of the worst-off of the others, equal parts', equal.worstFailedShare, 0.05),
      atLeast('errors of the others, no quota', none.othersFailedShare, 0.02),
    ];
    const rows = looks.flatMap((each) => each.rows);
    const result = { scenario: 'quota', seed: options.seed, options: RUNS[0]!.input, rows, checks };
    return { result, figures: [figure(looks)] };
  },
};

function look(fleet: Fleet, run: string): Look {
  const groups = settledOf(fleet, SETTLED_AT, SECONDS);
  const others = ofOthers(groups);
  const atFirst = ofOthers(settledOf(fleet, SURGE_AT, SETTLED_AT));
  return {
    rows: groups.map(([group, settled]) => rowOf(run, group, settled)),
    groups: Object.fromEntries(groups),
    othersFailedShare: sumOf(others, 'failed') / sumOf(others, 'offered'),
    othersFailedAtFirstShare: sumOf(atFirst, 'failed') / sumOf(atFirst, 'offered'),
    worstFailedShare: Math.max(...others.map(({ failed, offered }) => failed / offered)),
    panel: panel(fleet, run),
  };
}

/** By group, from one second to another. */
function settledOf({ samples }: Fleet, from: number, to: number): (readonly [string, Settled])[] {
  const within = samples.slice(from, to);
  return Object.keys(GROUPS).map((group) => {
    const sum = (count: (sample: GroupSample) => number) =>
      within.reduce((added, sample) => added + count(sample.groups[group]!), 0);
    const served = sum(({ ends }) => ends.served);
    const ended = sum(({ ends }) => Object.values(ends).reduce((added, count) => added + count, 0));
    return [group, { offered: sum(({ offered }) => offered), served, failed: ended - served }] as const;
  });
}

function ofOthers(groups: readonly (readonly [string, Settled])[]): Settled[] {
  return groups.filter(([group]) => GROUPS[group]!.customer !== 'android').map(([, settled]) => settled);
}

/** CPU-seconds a second of so many requests since the surge has settled. */
function cpuOf(requests: number): number {
  return (requests * COST_MS) / 1_000 / (SECONDS - SETTLED_AT);
}

function sumOf(all: readonly Settled[], what: keyof Settled): number {
  return all.reduce((sum, each) => sum + each[what], 0);
}

function rowOf(run: string, clients: string, { offered, served, failed }: Settled): Row {
  const { customer } = GROUPS[clients]!;
  return {
    section: 'after the surge has settled',
    run,
    clients,
    quotaCpu: (QUOTAS as Readonly<Record<string, number>>)[customer] ?? EVERYONE_ELSE,
    offeredCpu: cpuOf(offered),
    servedCpu: cpuOf(served),
    errorShare: failed / offered,
  };
}

function panel(fleet: Fleet, title: string): LinePanel {
  const lines = Object.keys(GROUPS).map((group) =>
    rateLine(fleet, group, group, ({ ends }) => (ends.served * COST_MS) / 1_000),
  );
  const y = { label: 'served, CPU-seconds a second' };
  return { kind: 'lines', title, x: { label: 'time, s' }, y, lines };
}

function figure(looks: readonly Look[]): Figure {
  return {
    title: `From ${SURGE_AT} s on Android asks for four times its quota`,
    caption: 'With quotas that follow its use it gets its quota, and nobody else notices.',
    panels: looks.map((each) => each.panel),
    sharesScale: true,
  };
}
