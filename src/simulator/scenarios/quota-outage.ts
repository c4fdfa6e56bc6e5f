import type { Fleet } from '../fleet/index.js';
import type { LinePanel } from '../report/figure.js';
import { atMost, between, type Check } from '../report/result.js';
import { BATCH, type QuotaFleetOptions, quotaFleet, quotaOf } from './quota-fleet-input.js';
import { admittedLine, customerRows, overQuota, worstLimitedShare } from './quota-fleet-measures.js';
import { runFleets } from './run-fleets.js';
import type { Scenario } from './scenario.js';

const WARMUP_MS = 5_000;
/** Of the measured time. */
const SURGE_MS = 5_000;
const SETTLED_MS = 7_000;
const COORDINATOR_MS = 15_000;
const REPLACED_MS = 20_000;
const EXCHANGE_MS = 30_000;
/** Nothing was heard for as long as shares of before hold. */
const SAFE_MS = 60_000;
const RESTORED_MS = 90_000;
const RECOVERED_MS = 95_000;
const DURATION_MS = 110_000;

const FLEET: QuotaFleetOptions = {
  // Ten backends. Of those who have a quota of 500, each is asked for twelve requests a second at each backend.
  scale: 0.01,
  costMs: 40,
  offender: 'greedy',
  surgeMs: SURGE_MS,
  warmupMs: WARMUP_MS,
  durationMs: DURATION_MS,
  faults: [
    {
      kind: 'coordinator-gone',
      service: 'store',
      atMs: WARMUP_MS + COORDINATOR_MS,
      forMs: REPLACED_MS - COORDINATOR_MS,
    },
    {
      kind: 'exchange-gone',
      service: 'store',
      atMs: WARMUP_MS + EXCHANGE_MS,
      forMs: RESTORED_MS - EXCHANGE_MS,
    },
  ],
};

interface Stretch {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Times its quota that the offender gets. */
  readonly most: number;
}

/** What backends go by. */
const STRETCHES: readonly Stretch[] = [
  { name: 'levels', fromMs: SETTLED_MS, toMs: COORDINATOR_MS, most: 1.05 },
  { name: 'no coordinator', fromMs: COORDINATOR_MS, toMs: REPLACED_MS, most: 1.1 },
  { name: 'another one', fromMs: REPLACED_MS, toMs: EXCHANGE_MS, most: 1.05 },
  { name: 'no exchange, shares of before', fromMs: EXCHANGE_MS, toMs: SAFE_MS, most: 1.1 },
  // Savings begin anew: nobody knows any more who has used up his. They are worth two seconds.
  { name: 'no exchange, equal shares', fromMs: SAFE_MS, toMs: RESTORED_MS, most: 1.15 },
  { name: 'all is back', fromMs: RECOVERED_MS, toMs: DURATION_MS, most: 1.05 },
];

/**
 * Nobody divides quotas for a while: first the coordinator is gone for five seconds, then what reports go through for a
 * minute, with all that was in it. One customer wants twenty times its quota all the while, 199 are within theirs, three
 * of them just so. Claimed: the one gets its quota all the time, and once a burst; the others are refused nothing.
 */
export const quotaOutageScenario: Scenario = {
  name: 'quota-outage',
  claim:
    'a minute without anyone who divides quotas: who is well within its own notices nothing, who is not is held',
  run(options) {
    const [looked] = runFleets([quotaFleet(FLEET)], options, look);
    const { rows, checks, panel } = looked!;
    return {
      result: { scenario: 'quota-outage', seed: options.seed, options: FLEET, rows, checks },
      figures: [
        {
          title: 'One customer wants twenty times its quota, and nobody divides quotas',
          caption:
            'Each backend goes on by what it knows: first its share of before, from 60 s on an equal one.',
          panels: [panel],
        },
      ],
    };
  },
};

function look(fleet: Fleet) {
  return {
    rows: STRETCHES.flatMap(({ name, fromMs, toMs }) => customerRows(fleet, FLEET, name, fromMs, toMs)),
    checks: STRETCHES.flatMap((stretch) => checksOf(fleet, stretch)),
    panel: panelOf(fleet),
  };
}

function checksOf(fleet: Fleet, { name, fromMs, toMs, most }: Stretch): Check[] {
  const { offender } = FLEET;
  return [
    between(
      `${name}: what the offender gets, over its quota`,
      overQuota(fleet, FLEET, fromMs, toMs),
      0.95,
      most,
    ),
    atMost(
      `${name}: quota errors of the worst-off of the others`,
      worstLimitedShare(fleet, offender, fromMs, toMs),
      0.0001,
    ),
  ];
}

function panelOf(fleet: Fleet): LinePanel {
  const quota = quotaOf(FLEET.offender, FLEET.scale);
  return {
    kind: 'lines',
    title: 'no coordinator from 15 to 20 s, no exchange from 30 to 90 s',
    x: { label: 'time, s' },
    y: { label: 'let in, CPU-seconds a second' },
    lines: [
      admittedLine(fleet, FLEET, FLEET.offender, 'greedy, critical'),
      admittedLine(fleet, FLEET, BATCH, 'greedy, sheddable'),
      admittedLine(fleet, FLEET, 'eager', 'eager'),
      admittedLine(fleet, FLEET, 'keen', 'keen'),
    ],
    marks: [{ value: quota, label: `quota ${quota}` }],
  };
}
