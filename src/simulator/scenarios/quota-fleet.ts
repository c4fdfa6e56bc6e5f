import type { Fleet } from '../fleet/index.js';
import type { LinePanel } from '../report/figure.js';
import { atMost, between, type Check, type Row } from '../report/result.js';
import { BATCH, type QuotaFleetOptions, quotaFleet, quotaOf } from './quota-fleet-input.js';
import {
  admittedLine,
  customerRows,
  gotBy,
  othersThan,
  overQuota,
  worstLimitedShare,
} from './quota-fleet-measures.js';
import { runFleets } from './run-fleets.js';
import type { Scenario, ScenarioOptions, ScenarioRun } from './scenario.js';

const WARMUP_MS = 3_000;
/** Of the measured time. */
const SURGE_MS = 2_000;
const SETTLED_MS = 2_000;
const SECOND_MS = 1_000;
/** Until levels are heard all of it is let in, and backends shed whatever is too much, for as long as they hold it. */
const FLOOD_MS = 4_000;
const DURATION_MS = 12_000;

/** Short against the two seconds that a step may take. */
const SAMPLE_MS = 250;

export interface QuotaFleetRun
  extends Pick<QuotaFleetOptions, 'scale' | 'offender' | 'costMs' | 'isUneven' | 'othersShare'> {
  readonly name: string;
}

/**
 * Where the traffic is uneven the others want half as much: some backends get several times the mean, and are to have
 * room for it. So they do beside Gmail, whose quota alone is two fifths of all. Its run is a small one, of small
 * requests: what comes before levels are heard is eight times what the fleet can do, and backends that hold requests of
 * seconds are busy with them for longer than is looked at.
 *
 * Requests are large: half a CPU-second on backends of ten cores. What is claimed depends on how many of them a backend
 * gets in the time of a report, and more is easier; this is one of the offender's quota in four reports. At 10 ms a
 * request the same would be a million requests a second.
 */
const RUNS: readonly QuotaFleetRun[] = [
  { name: 'even', scale: 1, offender: 'greedy', costMs: 500 },
  { name: 'uneven, 100:1', scale: 1, offender: 'greedy', costMs: 500, isUneven: true, othersShare: 0.5 },
  { name: 'gmail, a 25th', scale: 0.04, offender: 'gmail', costMs: 100, othersShare: 0.5 },
];

/**
 * Quotas at the size of the text (SRE ch. 21, "Per-Customer Limits"): 10,000 CPUs, 4,000 + 4,000 + 3,000 + 2,000 for four
 * customers and 500 for each of 196 others, on 1,000 backends. One of them goes from less than its quota to twenty times
 * that. Claimed: two seconds later it gets its quota and no more, its critical requests before all others, wherever it
 * asks for them, and nobody else is ever told that a quota is used up. Then the same where some clients ask for a hundred
 * times as much as others, each of backends of its own.
 *
 * Not claimed: that others do not notice the flood itself. Levels come half a second after it, and until then backends
 * have more than they can do, and shed.
 */
export const quotaFleetScenario: Scenario = {
  name: 'quota-fleet',
  claim:
    '1,000 backends, 200 customers, one wants 20 × its quota: 2 s later it gets that ± 3 %, no other is refused for its own',
  run: (options) => runQuotaFleet(RUNS, options),
};

interface Look {
  readonly rows: readonly Row[];
  readonly checks: readonly Check[];
  readonly panel: LinePanel;
}

/** Also at a part of that size. */
export function runQuotaFleet(runs: readonly QuotaFleetRun[], options: ScenarioOptions): ScenarioRun {
  const fleets = runs.map(({ name: _, ...run }) => ({
    ...run,
    surgeMs: SURGE_MS,
    warmupMs: WARMUP_MS,
    durationMs: DURATION_MS,
  }));
  const inputs = fleets.map(quotaFleet);
  const looks = runFleets(
    inputs,
    options,
    (fleet, at) => look(fleet, fleets[at]!, runs[at]!.name),
    SAMPLE_MS,
  );
  return {
    result: {
      scenario: 'quota-fleet',
      seed: options.seed,
      options: { runs: fleets },
      rows: looks.flatMap(({ rows }) => rows),
      checks: looks.flatMap(({ checks }) => checks),
    },
    figures: [
      {
        title: `From ${SURGE_MS / 1_000} s on one customer asks for twenty times its quota`,
        caption: 'Two seconds later it gets its quota, its critical requests first.',
        panels: looks.map(({ panel }) => panel),
      },
    ],
  };
}

function look(fleet: Fleet, options: QuotaFleetOptions, run: string): Look {
  const floodEndMs = SURGE_MS + FLOOD_MS;
  return {
    rows: [
      ...customerRows(fleet, options, `${run}, the first 4 s after the step`, SURGE_MS, floodEndMs),
      ...customerRows(fleet, options, `${run}, after that`, floodEndMs, DURATION_MS),
    ],
    checks: checksOf(fleet, options, run),
    panel: panelOf(fleet, options, run),
  };
}

function checksOf(fleet: Fleet, options: QuotaFleetOptions, run: string): Check[] {
  const { offender } = options;
  const settledMs = SURGE_MS + SETTLED_MS;
  const batch = gotBy(fleet, [BATCH], settledMs, DURATION_MS);
  const others = gotBy(fleet, othersThan(offender), SURGE_MS + FLOOD_MS, DURATION_MS);
  return [
    between(
      `${run}: what it gets from 2 s after the step on, over its quota`,
      overQuota(fleet, options, settledMs, DURATION_MS),
      0.97,
      1.03,
    ),
    // Of a single second, chance alone is 3 %.
    between(
      `${run}: the same of the third second after the step`,
      overQuota(fleet, options, settledMs, settledMs + SECOND_MS),
      0.9,
      1.1,
    ),
    atMost(
      `${run}: quota errors of the worst-off of the others, all the time`,
      worstLimitedShare(fleet, offender, 0, DURATION_MS),
      0.0001,
    ),
    atMost(`${run}: other errors of the others, from 4 s on`, others.failed / others.offered, 0.001),
    // SRE ch. 21: a criticality is refused only when all lower ones are.
    atMost(`${run}: its sheddable requests let in, from 2 s on`, batch.admitted / batch.offered, 0.002),
  ];
}

function panelOf(fleet: Fleet, options: QuotaFleetOptions, title: string): LinePanel {
  const { offender, scale } = options;
  const quota = quotaOf(offender, scale);
  return {
    kind: 'lines',
    title,
    x: { label: 'time, s' },
    y: { label: 'let in, CPU-seconds a second' },
    lines: [
      admittedLine(fleet, options, offender, `${offender}, critical`),
      admittedLine(fleet, options, BATCH, `${offender}, sheddable`),
      admittedLine(fleet, options, 'google+', 'google+'),
      admittedLine(fleet, options, 'eager', 'eager'),
    ],
    marks: [{ value: quota, label: `quota ${quota}` }],
  };
}
