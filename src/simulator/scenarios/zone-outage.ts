import type { Fleet, FleetInput, Sample } from '../fleet/index.js';
import type { Figure, Line } from '../report/figure.js';
import { atLeast, atMost, type Row } from '../report/result.js';
import { runFleets } from './run-fleets.js';
import type { Scenario } from './scenario.js';

/**
 * Zone outage (SRE ch. 21, "redirect when possible"): three zones, gateways in one of them that are asked for more than
 * it can take, and that zone dies. Claimed: no zone is ever sent more than its capacity, in any second; what the nearest
 * cannot take goes to the others; refused is only what all of them together cannot take; once healed, the nearest is
 * used again. In a second fleet requests are dearer than the capacity was meant for: there utilization decides.
 */
const ZONES = ['a', 'b', 'c'] as const;

/**
 * The text's datacenter has 100 backends × 500/s = 50,000/s; here a zone has 4. What a zone may be sent grows with its
 * backends, the decisions are the same, and chance is larger in small numbers: it is the harder case.
 */
const BACKENDS = 4;
const PER_BACKEND = 500;
const CAPACITY = BACKENDS * PER_BACKEND;
const GATEWAYS = 4;

/** Ten looks in a second: any second is seen to within a tenth. */
const SAMPLE_MS = 100;
const PER_SECOND = 1_000 / SAMPLE_MS;

const WARMUP_MS = 5_000;

/** In seconds of the measured time. Offered is 1.4 zones' worth: half of what three can take, 70 % of what two can. */
const PHASES = [
  { name: 'calm', from: 0, to: 8 },
  { name: 'zone a dead', from: 8, to: 18 },
  { name: 'healed', from: 18, to: 26 },
  // Two seconds of a rush, which zones are sent in the first third of each second, and one until that is evened out.
  { name: 'too much at once', from: 26, to: 29 },
  { name: 'too much for all', from: 29, to: 34 },
  // A second in which shares are still those of the spike: routers divide the traffic once a second.
  { name: 'calm again', from: 35, to: 40 },
] as const;

const OFFERED = 1.4;
/** 3.5 zones' worth. */
const SPIKE = 2.5;

function zones(costMs: number, arrivals: FleetInput['clients'][string]['arrivals']): FleetInput {
  return {
    durationMs: 40_000,
    warmupMs: WARMUP_MS,
    // Every message to a zone takes equally long: a second at the gateways is a second at the zone.
    network: { delayMs: 0.25, betweenLocalitiesMs: 2 },
    services: { shop: { costMs, backends: ZONES.map((locality) => ({ count: BACKENDS, locality })) } },
    clients: {
      gateways: {
        count: GATEWAYS,
        service: 'shop',
        locality: 'a',
        policy: 'weighted',
        arrivals,
        localities: { capacityPerBackend: PER_BACKEND, targetUtilization: 0.9 },
      },
    },
  };
}

const spikes = [{ atMs: WARMUP_MS + 26_000, forMs: 8_000, factor: SPIKE }];
const OUTAGE: FleetInput = {
  // 80 % busy at capacity.
  ...zones(1.6, { perSecond: (OFFERED * CAPACITY) / GATEWAYS, spikes }),
  faults: [
    // With the second that a start takes, ten.
    { kind: 'kill', service: 'shop', backends: { locality: 'a' }, atMs: WARMUP_MS + 8_000, forMs: 9_000 },
  ],
};

/** 1.5 cores' worth of work for each core of zone a, if it were sent what it may be. */
const DEAR: FleetInput = {
  ...zones(3, CAPACITY / GATEWAYS),
  durationMs: 10_000,
  // A utilization ends at 1, however much too much there is: to come down takes 5 % a second.
  warmupMs: 15_000,
};

/** Per second, in parts of one zone's capacity. */
interface Phase {
  readonly name: string;
  readonly offered: number;
  readonly served: number;
  readonly refused: number;
  readonly zones: Readonly<Record<string, { readonly sent: number; readonly cpu: number }>>;
}

interface Look {
  readonly phases: readonly Phase[];
  /** What each zone was sent in the second up to an instant, over its capacity. */
  readonly lines: readonly Line[];
}

export const zoneOutageScenario: Scenario = {
  name: 'zone-outage',
  claim: 'a zone dies: none is sent more than its capacity, and nothing is refused that another could take',
  run(options) {
    const inputs = [OUTAGE, DEAR];
    const [outage, dear] = runFleets(inputs, options, look, SAMPLE_MS) as [Look, Look];
    const phases = [...outage.phases, ...dear.phases];
    const [calm, dead, healed, , spike, again, dearly] = phases as [
      Phase,
      Phase,
      Phase,
      Phase,
      Phase,
      Phase,
      Phase,
    ];
    const lines = [...outage.lines, ...dear.lines];
    const mostSent = Math.max(...lines.flatMap(({ points }) => points.map(([, sent]) => sent)));
    const refused = sumOf([calm, dead, healed, again, dearly].map((phase) => phase.refused));
    const checks = [
      atMost('most sent to a zone in any second, over its capacity', mostSent, 1),
      atLeast('sent to the nearest zone over its capacity, calm', calm.zones['a']!.sent, 0.93),
      // All but what was under way in the zone when it died.
      atLeast('served of what was offered, nearest zone dead', dead.served / dead.offered, 0.998),
      atLeast('sent to the nearest zone over its capacity, healed', healed.zones['a']!.sent, 0.9),
      atMost('refused while another zone had room', refused, 0),
      atLeast('served over the capacity of all, too much for all', spike.served / ZONES.length, 0.95),
      atMost('utilization of the nearest zone, dear requests', dearly.zones['a']!.cpu, 0.93),
    ];
    const rows = phases.flatMap(rowsOf);
    const result = { scenario: 'zone-outage', seed: options.seed, options: OUTAGE, rows, checks };
    return { result, figures: [figure(outage)] };
  },
};

function look(fleet: Fleet, index: number): Look {
  const phases =
    index === 0 ? PHASES : [{ name: 'dear requests', from: 0, to: fleet.spec.durationMs / 1_000 }];
  const lines = ZONES.map((zone): Line => {
    const sent = fleet.samples.map((sample) => inZone(fleet, sample, 'arrivals', zone));
    const points = sent.map((_, last) => {
      const second = sent.slice(Math.max(0, last + 1 - PER_SECOND), last + 1);
      return [(last + 1) / PER_SECOND, sumOf(second) / CAPACITY] as const;
    });
    return { name: `zone ${zone}`, points };
  });
  return { phases: phases.map(({ name, from, to }) => lookAt(fleet, name, from, to)), lines };
}

function lookAt(fleet: Fleet, name: string, from: number, to: number): Phase {
  const samples = fleet.samples.slice(from * PER_SECOND, to * PER_SECOND);
  const mean = (value: (sample: Sample) => number) => sumOf(samples.map(value)) / (to - from) / CAPACITY;
  const gateways = (sample: Sample) => sample.groups['gateways']!;
  const zones = ZONES.map((zone) => {
    const sent = mean((sample) => inZone(fleet, sample, 'arrivals', zone));
    const cpu =
      sumOf(samples.map((sample) => inZone(fleet, sample, 'cpu', zone))) / samples.length / BACKENDS;
    return [zone, { sent, cpu }] as const;
  });
  return {
    name,
    offered: mean((sample) => gateways(sample).offered),
    served: mean((sample) => gateways(sample).ends.served),
    refused: mean((sample) => {
      const { unsent, shed, throttled } = gateways(sample).ends;
      return unsent + shed + throttled;
    }),
    zones: Object.fromEntries(zones),
  };
}

/** Of one sample, all backends of a zone together. */
function inZone(fleet: Fleet, { services }: Sample, what: 'arrivals' | 'cpu', zone: string): number {
  const { backends } = fleet.service('shop');
  const values = services['shop']![what];
  return sumOf(backends.map(({ locality }, index) => (locality === zone ? values[index]! : 0)));
}

function rowsOf({ name: phase, offered, served, refused, zones }: Phase): Row[] {
  const perSecond = (part: number) => part * CAPACITY;
  const requests = {
    section: 'requests',
    phase,
    offeredPerSecond: perSecond(offered),
    servedPerSecond: perSecond(served),
    refusedPerSecond: perSecond(refused),
  };
  const rows = Object.entries(zones).map(([zone, { sent, cpu }]): Row => {
    const capacityPerSecond = CAPACITY;
    return {
      section: 'zones',
      phase,
      zone,
      sentPerSecond: perSecond(sent),
      capacityPerSecond,
      cpuShare: cpu,
    };
  });
  return [requests, ...rows];
}

function figure({ lines }: Look): Figure {
  return {
    title: 'Three zones, the nearest of which dies',
    caption:
      'What each zone was sent in the last second. The nearest is filled first, and none beyond its capacity.',
    panels: [
      {
        kind: 'lines',
        title: `zone a dead from ${PHASES[1].from} to ${PHASES[1].to} s, too much for all from ${PHASES[3].from} to ${PHASES[4].to} s`,
        x: { label: 'time, s' },
        y: { label: 'sent, 1 = capacity' },
        lines,
        marks: [{ value: 1, label: 'capacity' }],
      },
    ],
  };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
