import { CRITICALITIES } from '../../core/criticality.js';
import type { FleetInput } from '../fleet/index.js';
import type { Chance } from './chance.js';
import { drawLink } from './draw-link.js';
import type { DrawnService } from './draw-service.js';

export interface DrawnFlood {
  readonly parts: Pick<FleetInput, 'services' | 'clients'>;
  readonly services: Readonly<Record<string, Pick<DrawnService, 'backends' | 'localities'>>>;
}

/**
 * One service of equal backends behind guards that learn, asked for more than all of them can do: of these it can be
 * said how much they serve.
 */
export function drawFlood(chance: Chance): DrawnFlood {
  const backends = chance.whole(1, 4);
  const perSecond = chance.between(300, 600);
  const costMs = (chance.scaled(1.3, 6) * backends * 1_000) / perSecond;
  const count = chance.whole(1, 5);
  const { subset: _, ...link } = drawLink(chance, backends);
  const parts: DrawnFlood['parts'] = {
    services: {
      front: {
        backends,
        costMs: chance.distribution(costMs),
        startMs: chance.between(150, 1_000),
        spreadMs: chance.between(20, 400),
        drainMs: chance.between(100, 1_500),
      },
    },
    clients: {
      group0: {
        service: 'front',
        count,
        arrivals: { perSecond: perSecond / count },
        criticality: chance.oneOf(CRITICALITIES),
        // Enough for eight that wait and three that run at once; not for the twenty that do before anything is learned.
        deadlineMs: Math.max(300, chance.between(18, 50) * costMs),
        idempotentShare: chance.oneOf([0, 0.5, 1]),
        ...link,
        activeLimit: 100,
        // What is late in a flood is held against backends that only have too much.
        ejects: false,
      },
    },
  };
  return { parts, services: { front: { backends, localities: ['here'] } } };
}
