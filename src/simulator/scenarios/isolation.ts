import type { Criticality } from '../../core/criticality.js';
import { type Fleet, type FleetInput, type GroupSample, rateLine, requestRows } from '../fleet/index.js';
import type { Figure, LinePanel } from '../report/figure.js';
import { atLeast, atMost, type Row } from '../report/result.js';
import { runFleets } from './run-fleets.js';
import type { Scenario } from './scenario.js';

/**
 * Isolation (Netflix, "Enhancing Netflix Reliability with Service-Level Prioritized Load Shedding", 2024): requests that
 * fetch ahead of the viewer grew twelvefold; the service refused more than half of all it was sent, and still served
 * 99.4 % of what viewers had asked for. SRE ch. 21, "Criticality": what is less critical is refused first.
 *
 * Claimed: under the same spike the two critical kinds are served as if nothing had happened, and the servers go on
 * serving all they can. Everything is as it comes: no option is set. Beside it the same servers without a guard.
 */
const BACKENDS = 4;
const COST_MS = 4;
const CAPACITY_PER_SECOND = (BACKENDS * 1_000) / COST_MS;
const CLIENTS = 20;

/** After the throttles and limits have seen some calm. */
const WARMUP_MS = 5_000;
const SPIKE_MS = 10_000;
const SPIKE_FOR_MS = 15_000;
const AFTER_MS = 10_000;
const SPIKE_FACTOR = 12;

/**
 * In calm 65 % of the capacity. In the spike 3.4 times the capacity comes, of which what is more than SHEDDABLE would
 * fit more than twice over: whatever is lost of it is lost to the spike.
 */
const KINDS: Readonly<Record<string, { criticality: Criticality; perSecond: number; factor: number }>> = {
  pay: { criticality: 'CRITICAL_PLUS', perSecond: 50, factor: 1 },
  play: { criticality: 'CRITICAL', perSecond: 300, factor: 1 },
  browse: { criticality: 'SHEDDABLE_PLUS', perSecond: 50, factor: 1 },
  prefetch: { criticality: 'SHEDDABLE', perSecond: 250, factor: SPIKE_FACTOR },
};
const NAMES = Object.keys(KINDS);

function fleetWith(guard: false | undefined): FleetInput {
  const clients = Object.entries(KINDS).map(([name, { criticality, perSecond, factor }]) => {
    const spikes = [{ atMs: SPIKE_MS, forMs: SPIKE_FOR_MS, factor }];
    const arrivals = { perSecond: perSecond / CLIENTS, spikes };
    return [name, { count: CLIENTS, service: 'api', criticality, arrivals }] as const;
  });
  const api = { backends: BACKENDS, costMs: { exponential: { mean: COST_MS } } };
  return {
    warmupMs: WARMUP_MS,
    durationMs: SPIKE_MS - WARMUP_MS + SPIKE_FOR_MS + AFTER_MS,
    services: { api: guard === undefined ? api : { ...api, guard } },
    clients: Object.fromEntries(clients),
  };
}

const RUNS = [
  { name: 'guard', input: fleetWith(undefined) },
  { name: 'no guard', input: fleetWith(false) },
] as const;

const PHASES = [
  { phase: 'before', fromMs: WARMUP_MS, toMs: SPIKE_MS },
  { phase: 'spike', fromMs: SPIKE_MS, toMs: SPIKE_MS + SPIKE_FOR_MS },
  { phase: 'after', fromMs: SPIKE_MS + SPIKE_FOR_MS, toMs: SPIKE_MS + SPIKE_FOR_MS + AFTER_MS },
] as const;

/** What ended in a phase, of one kind or of all. */
interface Phase {
  readonly ended: number;
  readonly served: number;
  readonly shed: number;
  readonly throttled: number;
}

interface Look {
  readonly rows: readonly Row[];
  readonly spike: Readonly<Record<string, Phase>>;
  readonly panel: LinePanel;
}

export const isolationScenario: Scenario = {
  name: 'isolation',
  claim: 'twelve times the sheddable traffic, and at least 99.4 % of the critical is served',
  run(options) {
    const inputs = RUNS.map(({ input }) => input);
    const [guarded, bare] = runFleets(inputs, options, (fleet, at) => look(fleet, RUNS[at]!.name));
    const { spike } = guarded!;
    const all = spike['all']!;
    const capacity = (CAPACITY_PER_SECOND * SPIKE_FOR_MS) / 1_000;
    const checks = [
      atLeast('spike: served share of CRITICAL_PLUS', servedShare(spike['pay']!), 0.994),
      atLeast('spike: served share of CRITICAL', servedShare(spike['play']!), 0.994),
      atLeast('spike: refused share of all', (all.shed + all.throttled) / all.ended, 0.5),
      atLeast('spike: goodput over capacity', all.served / capacity, 0.95),
      // Else there was nothing to isolate from.
      atMost('spike, no guard: served share of CRITICAL', servedShare(bare!.spike['play']!), 0.5),
    ];
    const rows = [...guarded!.rows, ...bare!.rows];
    const result = { scenario: 'isolation', seed: options.seed, options: RUNS[0].input, rows, checks };
    return { result, figures: [figureOf([guarded!.panel, bare!.panel])] };
  },
};

function servedShare({ served, ended }: Phase): number {
  return served / ended;
}

function look(fleet: Fleet, run: string): Look {
  const rows = PHASES.flatMap(({ phase, fromMs, toMs }) => {
    const seconds = (toMs - fromMs) / 1_000;
    return Object.entries(phaseOf(fleet, fromMs, toMs)).map(([clients, seen]) => ({
      section: 'phases',
      run,
      phase,
      clients,
      criticality: KINDS[clients]?.criticality ?? 'all',
      endedPerSecond: seen.ended / seconds,
      goodputPerSecond: seen.served / seconds,
      servedShare: servedShare(seen),
      shedShare: seen.shed / seen.ended,
      throttledShare: seen.throttled / seen.ended,
    }));
  });
  const { fromMs, toMs } = PHASES[1];
  return {
    rows: [...rows, ...requestRows(fleet, { run })],
    spike: phaseOf(fleet, fromMs, toMs),
    panel: panelOf(fleet, run),
  };
}

/** By clients, and all of them together. */
function phaseOf({ samples }: Fleet, fromMs: number, toMs: number): Readonly<Record<string, Phase>> {
  const within = samples.filter(({ timeMs }) => timeMs > fromMs && timeMs <= toMs);
  const phases = NAMES.map((name) => [name, sumOf(within.map(({ groups }) => groups[name]!))] as const);
  const all = sumOf(within.flatMap(({ groups }) => Object.values(groups)));
  return { ...Object.fromEntries(phases), all };
}

function sumOf(samples: readonly GroupSample[]): Phase {
  const sum = (count: (ends: GroupSample['ends']) => number) =>
    samples.reduce((added, { ends }) => added + count(ends), 0);
  return {
    ended: sum((ends) => Object.values(ends).reduce((added, count) => added + count, 0)),
    served: sum(({ served, degraded }) => served + degraded),
    shed: sum(({ shed, limited }) => shed + limited),
    throttled: sum(({ throttled }) => throttled),
  };
}

function panelOf(fleet: Fleet, title: string): LinePanel {
  const lines = NAMES.map((name) =>
    rateLine(fleet, name, KINDS[name]!.criticality, ({ ends }) => ends.served + ends.degraded),
  );
  const marks = [{ value: CAPACITY_PER_SECOND, label: 'capacity' }];
  const y = { label: 'served in time, per second' };
  return { kind: 'lines', title, x: { label: 'time, s' }, y, lines, marks };
}

function figureOf(panels: readonly LinePanel[]): Figure {
  return {
    title: `A spike of ${SPIKE_FACTOR} × the SHEDDABLE traffic, for ${SPIKE_FOR_MS / 1_000} s`,
    caption:
      'With the guard the critical kinds are served as before, and SHEDDABLE gets what is left. Afterwards its clients ' +
      'withhold half of it for as long as their throttles remember the spike: two minutes.',
    panels,
    sharesScale: true,
  };
}
