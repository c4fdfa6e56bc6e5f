import { POLICY_NAMES, type PolicyName } from '../../core/picking/index.js';
import { backendRows, cpuPanel, type Fleet, type FleetInput, rateLine, requestRows } from '../fleet/index.js';
import type { Figure, LinePanel } from '../report/figure.js';
import { atLeast, atMost, type Check, type Row } from '../report/result.js';
import { runFleets } from './run-fleets.js';
import type { Scenario } from './scenario.js';
import { withPolicy } from './with-policy.js';

/** Served after healing may fall short of before the faults by this part of all requests: chance, not harm. */
const CHANCE = 0.01;

interface Seen {
  readonly rows: readonly Row[];
  readonly checks: readonly Check[];
  readonly figure: Figure;
}

/** A fleet of the user's own as a scenario: as it is described, or with each of several policies. */
export function fleetScenario(name: string, fleet: FleetInput): Scenario {
  return {
    name,
    claim: 'no request is lost, and faults are recovered from',
    policies: POLICY_NAMES,
    run(options) {
      const { policies } = options;
      const inputs = policies === undefined ? [fleet] : policies.map((policy) => withPolicy(fleet, policy));
      const seen = runFleets(inputs, options, (run, index) => look(run, policies?.[index]));
      return {
        result: {
          scenario: name,
          seed: options.seed,
          options: { ...(policies === undefined ? {} : { policies }), fleet },
          rows: bySection(seen.flatMap(({ rows }) => rows)),
          checks: seen.flatMap(({ checks }) => checks),
        },
        figures: seen.map(({ figure }) => figure),
      };
    },
  };
}

function look(fleet: Fleet, policy: PolicyName | undefined): Seen {
  const of: Row = policy === undefined ? {} : { policy };
  const prefix = policy === undefined ? '' : `${policy}: `;
  return {
    rows: [...requestRows(fleet, of), ...backendRows(fleet, of)],
    checks: checksOf(fleet, prefix),
    figure: figureOf(fleet, prefix),
  };
}

function checksOf(fleet: Fleet, prefix: string): Check[] {
  const lost = fleet.groups.reduce((sum, { traffic }) => sum + traffic.all.offered - traffic.all.ended, 0);
  const checks = [atMost(`${prefix}requests without an end`, lost, 0)];
  if (fleet.spec.faults.length > 0) checks.push(...recovery(fleet, prefix));
  return checks;
}

/** Everything is as it was before the faults, the stated time after they are over. */
function recovery({ faults, spec, samples }: Fleet, prefix: string): Check[] {
  const recoveredMs = (faults.healedMs ?? Number.POSITIVE_INFINITY) + spec.recoverWithinMs;
  const calm = samples.filter(({ timeMs }) => timeMs <= faults.firstMs);
  const recovered = samples.filter(({ fromMs }) => fromMs >= recoveredMs);
  const [before, after] = [servedShare(calm), servedShare(recovered)];
  if (before !== undefined && after !== undefined)
    return [atLeast(`${prefix}served share after recovery`, after, floorTo4(before - CHANCE))];
  // Nothing to compare: said, and not taken for a recovery.
  return [
    atLeast(`${prefix}seconds measured before the first fault`, calm.length, 1),
    atLeast(
      `${prefix}seconds measured from ${spec.recoverWithinMs} ms after the last fault on`,
      recovered.length,
      1,
    ),
  ];
}

/** A bound that can be read. */
function floorTo4(value: number): number {
  return Math.floor(value * 1e4) / 1e4;
}

function servedShare(samples: Fleet['samples']): number | undefined {
  let [offered, served] = [0, 0];
  for (const { groups } of samples) {
    for (const sample of Object.values(groups)) {
      offered += sample.offered;
      served += sample.ends.served + sample.ends.degraded;
    }
  }
  return offered === 0 ? undefined : served / offered;
}

function figureOf(fleet: Fleet, prefix: string): Figure {
  const requests: LinePanel = {
    kind: 'lines',
    title: 'requests',
    x: { label: 'time, s' },
    y: { label: 'per second' },
    lines: fleet.groups.flatMap(({ name }) => [
      rateLine(fleet, name, `${name}: offered`, ({ offered }) => offered),
      rateLine(fleet, name, `${name}: served`, ({ ends }) => ends.served + ends.degraded),
    ]),
  };
  return {
    title: `${prefix}requests and load`,
    caption: 'What clients asked for and got, and the CPU of every backend.',
    panels: [requests, ...fleet.services.map(({ name }) => cpuPanel(fleet, name, name))],
  };
}

/** Tables of several runs beside each other, not one run after the other. */
function bySection(rows: readonly Row[]): Row[] {
  const sections = [...new Set(rows.map((row) => row['section']))];
  return sections.flatMap((section) => rows.filter((row) => row['section'] === section));
}
