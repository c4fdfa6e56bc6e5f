import { type Fleet, type FleetInput, requestRows } from '../fleet/index.js';
import type { BarPanel, Figure } from '../report/figure.js';
import { atLeast, atMost, between, type Row } from '../report/result.js';
import { runFleets } from './run-fleets.js';
import type { Scenario } from './scenario.js';

/**
 * Retry amplification (SRE ch. 21, "Deciding to Retry"): with three attempts for each request an overloaded service gets
 * up to three times the requests, of which it can serve fewer, since refusing costs too. A budget of 10 % of retries for
 * each client leaves 1.1 times. And in a stack of services only the layer right above the one that refuses may retry:
 * if three layers did, 27 attempts would reach the fourth for each request at the top.
 *
 * Claimed: without a budget 1.5 times the capacity becomes much more than that, with it at most 1.1 times that; at ten
 * times the capacity goodput is next to nothing without a budget, about half with it, and nine tenths with throttling
 * clients as well; and the deepest of four layers sees at most 1.1 attempts for each request at the top.
 *
 * (A model that refuses by chance gets 2.28 times the requests at 1.5 times the capacity. Our backends refuse the same
 * request at every attempt, wherever it goes, so that it is 1 + 2 · the share refused.)
 */
const BACKENDS = 4;
const COST_MS = 10;
const CAPACITY_PER_SECOND = (BACKENDS * 1_000) / COST_MS;
const CLIENTS = 10;
/** Measured: 43 µs for a plain refusal, of about 1 ms for a small request. */
const REFUSAL_COST_MS = 0.04 * COST_MS;

/** Budgets and histograms look back for 10 s. */
const WARMUP_MS = 12_000;
const DURATION_MS = 6_000;

const NO_BUDGET = { budget: 10 };

/** Each with what the one before has, and something more; `advises` is what backends do. */
const RULES = {
  'no retries': { retry: { maxAttempts: 1 }, throttle: false, advises: false },
  'three attempts': { retry: NO_BUDGET, throttle: false, advises: false },
  'and a budget': { retry: {}, throttle: false, advises: false },
  'and advice': { retry: {}, throttle: false, advises: true },
  'and throttling': { retry: {}, throttle: {}, advises: true },
} as const;
type Rule = keyof typeof RULES;
const RULE_NAMES = Object.keys(RULES) as Rule[];

const LOADS = [1.5, 10];

/** Least-loaded: a policy that sees refusals, and needs no probes. */
function clientsAt(load: number) {
  const arrivals = (load * CAPACITY_PER_SECOND) / CLIENTS;
  return { count: CLIENTS, arrivals, policy: 'least-loaded' } as const;
}

function serviceFleet(load: number, rule: Rule): FleetInput {
  const { advises, ...link } = RULES[rule];
  return {
    warmupMs: WARMUP_MS,
    durationMs: DURATION_MS,
    services: {
      api: { backends: BACKENDS, costMs: COST_MS, guard: { refusalCostMs: REFUSAL_COST_MS, advises } },
    },
    clients: { client: { service: 'api', ...clientsAt(load), ...link } },
  };
}

/** Figure 21-2 of the text. The first three have room for anything; the last is offered three times its capacity. */
const LAYERS = ['frontend', 'backend-a', 'backend-b', 'db-frontend'];
const STACK_RULES: readonly Rule[] = ['three attempts', 'and a budget', 'and advice'];
const STACK_LOAD = 3;
/** Three attempts at each of the three layers above the last. */
const NAIVE_ATTEMPTS = 3 ** (LAYERS.length - 1);

function stackFleet(rule: Rule): FleetInput {
  const { advises, ...link } = RULES[rule];
  const above = LAYERS.slice(0, -1).map((name, at) => {
    const calls = [{ service: LAYERS[at + 1]!, policy: 'least-loaded' as const, ...link }];
    return [name, { backends: [{ count: 3, cores: 10 }], costMs: 0.2, guard: false, calls }] as const;
  });
  const deepest = { backends: BACKENDS, costMs: COST_MS, guard: { advises } };
  return {
    warmupMs: WARMUP_MS,
    durationMs: DURATION_MS,
    services: { ...Object.fromEntries(above), 'db-frontend': deepest },
    clients: {
      // People do not retry, here.
      people: {
        service: 'frontend',
        ...clientsAt(STACK_LOAD),
        retry: { maxAttempts: 1 },
        throttle: false,
      },
    },
  };
}

const RUNS = [
  ...LOADS.flatMap((load) => RULE_NAMES.map((rule) => ({ load, rule, input: serviceFleet(load, rule) }))),
  ...STACK_RULES.map((rule) => ({ load: STACK_LOAD, rule, input: stackFleet(rule) })),
];

interface Seen {
  readonly rule: Rule;
  readonly load: number;
  /** Attempts at the (deepest) service for each request of the clients, those not sent included. */
  readonly attemptsPerRequest: number;
  readonly goodputOverCapacity: number;
  readonly rows: readonly Row[];
}

export const retryAmplificationScenario: Scenario = {
  name: 'retry-amplification',
  claim: 'with retry budgets an overloaded service gets at most 1.1 times the requests, in a deep stack too',
  run(options) {
    const inputs = RUNS.map(({ input }) => input);
    const seen = runFleets(inputs, options, (fleet, at) => look(fleet, RUNS[at]!));
    const at = (load: number, rule: Rule) => seen.find((run) => run.load === load && run.rule === rule)!;
    const growth = (load: number, rule: Rule) => at(load, rule).attemptsPerRequest;
    const goodput = (rule: Rule) => at(10, rule).goodputOverCapacity;
    // A budget of 10 % is kept over any 10 s; the measured time may contain a little more of it.
    const checks = [
      atLeast('1.5 ×, three attempts: attempts per request', growth(1.5, 'three attempts'), 1.7),
      atMost('1.5 ×, and a budget: attempts per request', growth(1.5, 'and a budget'), 1.12),
      atMost('1.5 ×, and throttling: attempts per request', growth(1.5, 'and throttling'), 1.12),
      atMost('10 ×, three attempts: goodput over capacity', goodput('three attempts'), 0.3),
      between('10 ×, and a budget: goodput over capacity', goodput('and a budget'), 0.45, 0.65),
      atLeast('10 ×, and throttling: goodput over capacity', goodput('and throttling'), 0.9),
      // Of each layer's three attempts only those of the one right above count.
      atMost('stack, three attempts: attempts at the deepest', growth(STACK_LOAD, 'three attempts'), 3),
      atMost('stack, and a budget: attempts at the deepest', growth(STACK_LOAD, 'and a budget'), 1.12),
      atMost('stack, and advice: attempts at the deepest', growth(STACK_LOAD, 'and advice'), 1.12),
    ];
    const result = {
      scenario: 'retry-amplification',
      seed: options.seed,
      options: { loads: LOADS, rules: RULES, service: RUNS[0]!.input, stack: stackFleet('and advice') },
      rows: seen.flatMap(({ rows }) => rows),
      checks,
    };
    return { result, figures: [serviceFigure(seen), stackFigure(seen)] };
  },
};

function look(fleet: Fleet, { load, rule }: { load: number; rule: Rule }): Seen {
  const { traffic } = fleet.groups[0]!;
  const arrivals = fleet.services.map(({ backends }) =>
    backends.reduce((sum, { tally }) => sum + tally.arrivals, 0),
  );
  const isStack = arrivals.length > 1;
  const { offered, good, ends } = traffic.all;
  const attemptsPerRequest = arrivals.at(-1)! / offered;
  const goodputOverCapacity = (good * 1_000) / DURATION_MS / CAPACITY_PER_SECOND;
  const layers = fleet.services.map(({ name }, at) => [name, arrivals[at]! / offered] as const);
  const attemptsPerSentRequest = arrivals.at(-1)! / (offered - ends.throttled);
  const service = { load, rule, attemptsPerRequest, attemptsPerSentRequest, goodputOverCapacity };
  const summary: Row = isStack
    ? { section: 'stack: attempts per request', rule, ...Object.fromEntries(layers) }
    : { section: 'one service', ...service };
  const of = { of: isStack ? 'stack' : 'one service', load, rule };
  return { rule, load, attemptsPerRequest, goodputOverCapacity, rows: [summary, ...requestRows(fleet, of)] };
}

function serviceFigure(seen: readonly Seen[]): Figure {
  const panel = (title: string, label: string, value: (run: Seen) => number): BarPanel => ({
    kind: 'bars',
    title,
    x: { label: 'offered over capacity', categories: LOADS.map((load) => `${load} ×`) },
    y: { label },
    bars: RULE_NAMES.map((rule) => ({
      name: rule,
      values: LOADS.map((load) => value(seen.find((run) => run.load === load && run.rule === rule)!)),
    })),
  });
  return {
    title: 'What retries do to an overloaded service',
    caption: 'From left to right each bar has one rule more. A refusal costs 4 % of a request.',
    panels: [
      panel('attempts for each request', 'attempts', ({ attemptsPerRequest }) => attemptsPerRequest),
      panel('goodput', 'share of the capacity', ({ goodputOverCapacity }) => goodputOverCapacity),
    ],
  };
}

function stackFigure(seen: readonly Seen[]): Figure {
  const attempts = STACK_RULES.map(
    (rule) => seen.find((run) => run.load === STACK_LOAD && run.rule === rule)!.attemptsPerRequest,
  );
  return {
    title: 'Attempts at the deepest of four layers, for each request at the top',
    caption: `Only the layer right above the one that refuses retries. If all did, it would be ${NAIVE_ATTEMPTS}.`,
    panels: [
      {
        kind: 'bars',
        title: 'attempts at the db-frontend',
        x: { label: 'rules', categories: ['all layers retry (computed)', ...STACK_RULES] },
        y: { label: 'attempts for each request', isLogarithmic: true },
        bars: [{ name: 'attempts', values: [NAIVE_ATTEMPTS, ...attempts] }],
      },
    ],
  };
}
