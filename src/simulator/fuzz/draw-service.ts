import type { FleetInput } from '../fleet/index.js';
import type { Chance } from './chance.js';

type ServiceInput = FleetInput['services'][string];
type GroupInput = Exclude<ServiceInput['backends'], number>[number];

/** Where backends may be. */
export const LOCALITIES = ['near', 'far', 'farther'] as const;

/** Longer than any deadline: whoever exits has nothing left to do. */
export const AMPLE_DRAIN_MS = 120_000;
/** Longer than any message is under way. */
export const AMPLE_SPREAD_MS = 100;

/** Of a request, for something else, on average. */
const MOST_WAIT_MS = 30;

export interface DrawnService {
  readonly input: ServiceInput;
  readonly backends: number;
  /** How long a request takes that is alone, at the slowest and at the most on average. */
  readonly aloneMs: number;
  readonly localities: readonly string[];
}

/**
 * A service that is asked for so many requests a second, which make its slowest backends so busy. `hasTime`: none of its
 * processes exits before it has nothing left to do.
 */
export function drawService(
  chance: Chance,
  perSecond: number,
  utilization: number,
  hasTime: boolean,
): DrawnService {
  const groups = drawGroups(chance);
  const backends = groups.reduce((sum, { count }) => sum + count, 0);
  const slowest = Math.min(...groups.map(({ speed = 1, cores = 1 }) => speed * cores));
  const costMs = (utilization * backends * slowest * 1_000) / perSecond;
  const isPlain = groups.length === 1 && Object.keys(groups[0]!).length === 1;
  const input: ServiceInput = {
    backends: isPlain ? backends : groups,
    ...drawWork(chance, costMs),
    guard: chance.flip(0.2) ? false : drawGuard(chance),
    // Longer than it takes until a watch has seen the new process.
    startMs: chance.between(150, 1_000),
    ...(hasTime
      ? { spreadMs: chance.between(AMPLE_SPREAD_MS, 400), drainMs: AMPLE_DRAIN_MS }
      : { spreadMs: chance.between(20, 400), drainMs: chance.between(100, 1_500) }),
    ...chance.maybe(0.3, () => ({
      warmup: { forMs: chance.between(200, 2_000), factor: chance.between(1, 3) },
    })),
    ...chance.maybe(0.2, () => ({
      pauses: { everyMs: chance.between(1_000, 5_000), forMs: chance.distribution(chance.between(5, 40)) },
    })),
  };
  const slowestCore = Math.min(...groups.map(({ speed = 1, cores = 1 }) => speed * Math.min(1, cores)));
  const aloneMs = (2 * costMs) / slowestCore + MOST_WAIT_MS;
  return {
    input,
    backends,
    aloneMs,
    localities: [...new Set(groups.map(({ locality = 'here' }) => locality))],
  };
}

function drawGroups(chance: Chance): GroupInput[] {
  if (chance.flip(0.3)) return [{ count: chance.whole(1, 8) }];
  const areApart = chance.flip(0.4);
  return Array.from({ length: chance.whole(1, 3) }, (_, at): GroupInput => {
    return {
      count: chance.whole(1, 3),
      speed: chance.oneOf([0.5, 1, 1, 2]),
      cores: chance.oneOf([0.5, 1, 1, 2]),
      ...(areApart ? { locality: LOCALITIES[at]! } : {}),
      ...chance.maybe(0.15, () => ({
        neighbours: {
          busyShare: chance.between(0.1, 0.9),
          idleCores: chance.between(0, 2),
          slowdown: chance.between(1, 1.3),
          redrawMs: chance.between(500, 5_000),
        },
      })),
      // A sinkhole. Rarely: what is checked of the others is little in its presence.
      ...chance.maybe(0.02, () => ({ failsFastShare: chance.between(0.1, 1) })),
    };
  });
}

function drawWork(chance: Chance, costMs: number): Pick<ServiceInput, 'kinds' | 'costMs' | 'waitMs'> {
  const work = (meanMs: number) => ({
    costMs: chance.distribution(meanMs),
    waitMs: chance.flip(0.6) ? 0 : chance.distribution(chance.between(1, MOST_WAIT_MS)),
    failureShare: chance.flip(0.7) ? 0 : chance.between(0, 0.02),
  });
  if (chance.flip(0.7)) return work(costMs);
  // Two kinds, equally often, one dearer than the other.
  const part = chance.between(0.2, 1);
  return { kinds: { cheap: work(costMs * part), dear: work(costMs * (2 - part)) } };
}

function drawGuard(chance: Chance): Exclude<ServiceInput['guard'], false> {
  return {
    concurrency: chance.flip(0.6) ? 'adaptive' : Math.round(chance.scaled(2, 60)),
    signals: chance.oneOf([['queue'], ['queue'], ['cpu'], ['queue', 'cpu']] as const).slice(),
    queueTargetMs: chance.between(10, 50),
    refusalCostMs: chance.between(0, 0.1),
    ...chance.maybe(0.3, () => ({ degradedCost: chance.between(0.05, 0.6) })),
  };
}
