import type { FleetInput } from '../fleet/index.js';
import type { Chance } from './chance.js';
import type { DrawnService } from './draw-service.js';

type AnyFault = NonNullable<FleetInput['faults']>[number];
type FaultInput = Extract<AnyFault, { backends: unknown }>;
type QuotaFaultInput = Exclude<AnyFault, FaultInput>;

type Victims = Pick<DrawnService, 'backends' | 'localities'>;

/** A day on which only what is planned happens, or any day. */
const ORDERLY = ['restart', 'lame-duck'] as const;
const KINDS = [...ORDERLY, 'kill', 'slow', 'partition', 'clock'] as const;
const QUOTA_KINDS = ['coordinator-gone', 'exchange-gone'] as const;

/** Up to six of any kind, which begin and, restarts and starts aside, end within a stretch of time. */
export function drawFaults(
  chance: Chance,
  services: Readonly<Record<string, Victims>>,
  fromMs: number,
  toMs: number,
): FaultInput[] {
  const kinds = chance.flip(0.3) ? ORDERLY : KINDS;
  return Array.from({ length: chance.whole(0, 6) }, () => {
    const [service, drawn] = chance.oneOf(Object.entries(services));
    const atMs = chance.between(fromMs, toMs - 100);
    const forMs = Math.min(chance.scaled(50, 4_000), toMs - atMs);
    const kind = chance.oneOf(kinds);
    return drawFault(chance, kind, { service, backends: drawVictims(chance, drawn), atMs }, forMs);
  });
}

/** One or two, of a service that has a quota. */
export function drawQuotaFaults(
  chance: Chance,
  services: FleetInput['services'],
  fromMs: number,
  toMs: number,
): QuotaFaultInput[] {
  const service = Object.keys(services).find((name) => services[name]!.quota !== undefined);
  if (service === undefined || chance.flip(0.4)) return [];
  return Array.from({ length: chance.whole(1, 2) }, () => {
    const atMs = chance.between(fromMs, toMs - 100);
    const forMs = Math.min(chance.scaled(50, 4_000), toMs - atMs);
    return { kind: chance.oneOf(QUOTA_KINDS), service, atMs, forMs };
  });
}

function drawFault(
  chance: Chance,
  kind: (typeof KINDS)[number],
  where: Pick<FaultInput, 'service' | 'backends' | 'atMs'>,
  forMs: number,
): FaultInput {
  switch (kind) {
    case 'restart':
      return { kind, ...where, batch: chance.whole(1, 4) };
    case 'slow':
      return { kind, ...where, forMs, factor: chance.scaled(1.2, 50) };
    case 'clock':
      return {
        kind,
        ...where,
        forMs,
        rate: chance.between(0.5, 2),
        jumpMs: chance.flip(0.5) ? 0 : chance.scaled(1, 100_000),
      };
    default:
      return { kind, ...where, forMs };
  }
}

/** Some at random, some by number, a locality, or all. */
function drawVictims(chance: Chance, { backends, localities }: Victims): FaultInput['backends'] {
  switch (chance.whole(0, 3)) {
    case 0:
      return [chance.whole(0, backends - 1)];
    case 1:
      return { locality: chance.oneOf(localities) };
    case 2:
      return backends;
    default:
      return chance.whole(1, backends);
  }
}
