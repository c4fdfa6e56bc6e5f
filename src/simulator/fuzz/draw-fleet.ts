import { CRITICALITIES } from '../../core/criticality.js';
import { SeededRandom } from '../../core/seeded-random.js';
import { type FleetInput, fleetSchema } from '../fleet/index.js';
import { Chance } from './chance.js';
import { drawFaults, drawQuotaFaults } from './draw-faults.js';
import { drawFlood } from './draw-flood.js';
import { drawLink } from './draw-link.js';
import { type DrawnService, drawService, LOCALITIES } from './draw-service.js';
import { recoveryMs } from './recovery.js';

type ClientInput = FleetInput['clients'][string];

/** A fleet, and when what happens in it. All instants are of the whole run. */
export interface DrawnFleet {
  readonly input: FleetInput;
  /** Until then everything that was planned to go wrong has begun and, restarts aside, ended; then it is quiet … */
  readonly quietMs: number;
  /** … for as long as everything takes to recover; from here on there is traffic as at first, for what is checked. */
  readonly finalMs: number;
  /** There is too much for all, and it is known how much can be served. */
  readonly isFlooded: boolean;
}

/** How long there is full traffic at the end. In the first second of it rates of last seconds still say "quiet". */
const FINAL_MS = 6_000;

/** The same for a flood: processes that have just started learn first how many requests to run at once. */
const FLOOD_MS = 20_000;

/** Between the faults and the end of a run of which nothing is claimed but that all is given back. */
const CROWDED_MS = 3_000;

/** Of the full traffic: recovering takes time, not requests. */
const QUIET = 0.1;

/** By name: which services a request of each calls, and how often. No more than seven calls a request, all in all. */
const SHAPES: readonly Readonly<Record<string, Readonly<Record<string, number>>>>[] = [
  { front: {} },
  { front: {} },
  { front: { back: 1 }, back: {} },
  { front: { back: 2 }, back: {} },
  { front: { middle: 1 }, middle: { back: 2 }, back: {} },
  { front: { middle: 2 }, middle: { back: 1 }, back: {} },
  { front: { middle: 1, back: 1 }, middle: {}, back: {} },
];

/** The same for the same seed. */
export function drawFleet(seed: number): DrawnFleet {
  const random = new SeededRandom(seed, DRAWING);
  const chance = new Chance(() => random.next());
  const isFlooded = chance.flip(0.15);
  // Too much traffic does not pass: of how these end nothing is claimed.
  const isCrowded = !isFlooded && chance.flip(0.2);
  const { parts, services } = isFlooded ? drawFlood(chance) : drawParts(chance, isCrowded);
  const warmupMs = chance.between(1_000, 3_000);
  const quietMs = warmupMs + chance.between(4_000, 7_000);
  const input: FleetInput = {
    durationMs: 1,
    warmupMs,
    network: drawNetwork(chance),
    faults: drawFaults(chance, services, warmupMs + 200, quietMs),
    ...parts,
  };
  input.faults!.push(...drawQuotaFaults(chance, input.services, warmupMs + 200, quietMs));
  const finalMs = quietMs + (isCrowded ? CROWDED_MS : recoveryMs(fleetSchema.parse(input)));
  for (const client of Object.values(input.clients)) addQuiet(client, quietMs, finalMs);
  const endMs = finalMs + (isFlooded ? FLOOD_MS : FINAL_MS);
  return { input: { ...input, durationMs: endMs - warmupMs }, quietMs, finalMs, isFlooded };
}

function drawParts(chance: Chance, isCrowded: boolean) {
  const shape = chance.oneOf(SHAPES);
  const load = callsPerRequest(shape);
  const all = Object.values(load).reduce((sum, calls) => sum + calls, 0);
  const perSecond = chance.between(150, 300) / all;
  const hasTime = chance.flip(0.5);
  const services: Record<string, DrawnService> = {};
  for (const [name, calls] of Object.entries(load)) {
    // Of all backends together. Small subsets and unequal clients make some of them several times as busy.
    const utilization = isCrowded ? chance.scaled(0.6, 3) : chance.scaled(0.02, 0.4);
    services[name] = drawService(chance, perSecond * calls, utilization, hasTime);
  }
  const parts: Pick<FleetInput, 'services' | 'clients'> = {
    services: Object.fromEntries(
      Object.entries(services).map(([name, { input }]) => [
        name,
        { ...input, calls: drawCalls(chance, shape[name]!, services) },
      ]),
    ),
    clients: drawClients(chance, services, perSecond, load),
  };
  addQuota(chance, parts, perSecond, load);
  return { parts, services };
}

/** Apart from the streams of the fleet's own. */
const DRAWING = 0x7fff_ffff;

function callsPerRequest(shape: (typeof SHAPES)[number]): Record<string, number> {
  const calls: Record<string, number> = { front: 1 };
  // Callers are named before their callees.
  for (const [name, callees] of Object.entries(shape)) {
    for (const [callee, times] of Object.entries(callees)) {
      calls[callee] = (calls[callee] ?? 0) + calls[name]! * times;
    }
  }
  return calls;
}

function drawNetwork(chance: Chance): NonNullable<FleetInput['network']> {
  return {
    delayMs: chance.distribution(chance.scaled(0.05, 1.5)),
    betweenLocalitiesMs: chance.between(0, 3),
    lossShare: chance.flip(0.8) ? 0 : chance.scaled(0.0005, 0.005),
  };
}

function drawCalls(
  chance: Chance,
  callees: Readonly<Record<string, number>>,
  services: Readonly<Record<string, DrawnService>>,
): NonNullable<FleetInput['services'][string]['calls']> {
  return Object.entries(callees).map(([service, times]) => ({
    service,
    times,
    ...drawLink(chance, services[service]!.backends),
  }));
}

function drawClients(
  chance: Chance,
  services: Readonly<Record<string, DrawnService>>,
  perSecond: number,
  load: Readonly<Record<string, number>>,
): FleetInput['clients'] {
  const { backends, localities } = services['front']!;
  const calls = Object.values(load).reduce((sum, each) => sum + each, 0);
  const aloneMs = calls * Math.max(...Object.values(services).map(({ aloneMs }) => aloneMs));
  const weights = Array.from({ length: chance.whole(1, 3) }, () => chance.between(0.2, 1));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const groups = weights.map((weight, at): [string, ClientInput] => {
    const count = chance.whole(1, 5);
    const groupPerSecond = (perSecond * weight) / whole;
    const client: ClientInput = {
      service: 'front',
      count,
      arrivals: { perSecond: groupPerSecond / count, process: chance.oneOf(['poisson', 'even'] as const) },
      demand: chance.flip(0.8) ? 1 : { lognormal: { median: 1, sigma: 0.5 } },
      criticality: chance.flip(0.5)
        ? chance.oneOf(CRITICALITIES)
        : { CRITICAL_PLUS: 0.1, CRITICAL: 0.5, SHEDDABLE_PLUS: 0.2, SHEDDABLE: 0.2 },
      customer: chance.oneOf(['one', 'two', 'three']),
      // Mostly ample; sometimes so short that many requests are late.
      deadlineMs: Math.max(50, aloneMs * (chance.flip(0.9) ? chance.between(20, 60) : chance.between(1, 5))),
      idempotentShare: chance.oneOf([0, 0.5, 1]),
      locality: chance.flip(0.3) ? 'here' : chance.oneOf(LOCALITIES),
      ...drawLink(chance, backends),
    };
    if (localities.length > 1 && chance.flip(0.6)) {
      // That of each alone is ample, or all together have about enough.
      const isAmple = chance.flip(0.7);
      const perBackend = isAmple ? chance.between(2, 5) : chance.between(0.5, 2) / backends;
      client.localities = {
        capacityPerBackend: Math.max(1, groupPerSecond * perBackend),
        targetUtilization: chance.between(0.6, 0.95),
      };
    }
    return [`group${at}`, client];
  });
  return Object.fromEntries(groups);
}

/** A quota for the customers of one service: ample for most. */
function addQuota(
  chance: Chance,
  { services }: Pick<FleetInput, 'services'>,
  perSecond: number,
  load: Readonly<Record<string, number>>,
): void {
  if (!chance.flip(0.25)) return;
  const name = chance.oneOf(Object.keys(services));
  // A request costs less than a second of CPU, and all customers together make no more requests than there are.
  const amount = () => perSecond * load[name]! * (chance.flip(0.7) ? 1 : chance.scaled(0.0005, 0.01));
  services[name] = {
    ...services[name]!,
    quota: {
      customers: { one: amount(), two: amount() },
      everyoneElse: amount(),
      everyMs: chance.between(100, 1_000),
    },
  };
}

function addQuiet(client: ClientInput, quietMs: number, finalMs: number): void {
  client.arrivals = {
    ...(client.arrivals as Exclude<ClientInput['arrivals'], number>),
    steps: [
      { atMs: quietMs, factor: QUIET },
      { atMs: finalMs, factor: 1 },
    ],
  };
}
