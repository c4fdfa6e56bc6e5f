import { POLICY_NAMES, type PolicyName } from '../../core/picking/index.js';
import { backendRows, type Fleet, requestRows } from '../fleet/index.js';
import type { BarPanel, Figure } from '../report/figure.js';
import { atMost, type Check, type Row } from '../report/result.js';
import { prequalModel } from './prequal-model.js';
import { runFleets } from './run-fleets.js';
import type { Scenario } from './scenario.js';

/** A machine sees three sets of neighbours in that time, 100 machines 300: enough for a p99 to within a few percent. */
const DURATION_MS = 60_000;
/** Weights count from 10 s on. */
const WARMUP_MS = 15_000;

const LOADS = [0.7, 0.9];

interface Run {
  readonly policy: PolicyName;
  readonly load: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly rows: readonly Row[];
}

/**
 * The rule comparison of the Prequal paper: how much later the last percent of answers is when the fleet gets from 70 %
 * to 90 % full. There, p99 of Prequal went from 281 to 286 ms, of least-loaded from 1804 to 2654.
 */
export const prequalRulesScenario: Scenario = {
  name: 'prequal-rules',
  claim:
    'at 90 % load Prequal answers nearly as fast as at 70 %, and twice as fast as least-loaded (NSDI 2024)',
  policies: POLICY_NAMES,
  run(options) {
    const policies = options.policies ?? POLICY_NAMES;
    const wanted = policies.flatMap((policy) => LOADS.map((load) => ({ policy, load })));
    const inputs = wanted.map((run) =>
      prequalModel({ ...run, warmupMs: WARMUP_MS, durationMs: DURATION_MS }),
    );
    const runs = runFleets(inputs, options, (fleet, index) => look(fleet, wanted[index]!));
    return {
      result: {
        scenario: 'prequal-rules',
        seed: options.seed,
        options: { policies, loads: LOADS, fleet: inputs[0] },
        rows: runs.flatMap(({ rows }) => rows),
        checks: checksOf(runs),
      },
      figures: [figureOf(policies, runs)],
    };
  },
};

function look(fleet: Fleet, { policy, load }: { policy: PolicyName; load: number }): Run {
  const { all } = fleet.group('callers').traffic;
  const rows = [...requestRows(fleet, { policy, load }), ...backendRows(fleet, { policy, load })];
  return { policy, load, p50Ms: all.latencyMs(0.5) ?? 0, p99Ms: all.latencyMs(0.99) ?? 0, rows };
}

function checksOf(runs: readonly Run[]): Check[] {
  const p99 = (policy: PolicyName, load: number) =>
    runs.find((run) => run.policy === policy && run.load === load)?.p99Ms;
  const [at70, at90, other] = [p99('prequal', 0.7), p99('prequal', 0.9), p99('least-loaded', 0.9)];
  const checks: Check[] = [];
  if (at70 !== undefined && at90 !== undefined) {
    checks.push(atMost('p99 of Prequal at 90 % over its own at 70 %', at90 / at70, 1.15));
    if (other !== undefined)
      checks.push(atMost("p99 of Prequal over least-loaded's, at 90 %", at90 / other, 0.5));
  }
  return checks;
}

function figureOf(policies: readonly PolicyName[], runs: readonly Run[]): Figure {
  const panel = (title: string, measure: (run: Run) => number): BarPanel => ({
    kind: 'bars',
    title,
    x: { label: 'policy', categories: policies },
    y: { label: 'latency, ms' },
    bars: LOADS.map((load) => ({
      name: `load ${load}`,
      values: policies.map((policy) =>
        measure(runs.find((run) => run.policy === policy && run.load === load)!),
      ),
    })),
  });
  return {
    title: 'Where requests are sent, and how long they take',
    caption: '100 backends with noisy neighbours. The median hardly differs; the last percent does.',
    panels: [panel('median', ({ p50Ms }) => p50Ms), panel('99th percentile', ({ p99Ms }) => p99Ms)],
  };
}
