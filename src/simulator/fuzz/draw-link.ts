import { POLICY_NAMES } from '../../core/picking/index.js';
import type { FleetInput } from '../fleet/index.js';
import type { Chance } from './chance.js';

type ClientInput = FleetInput['clients'][string];
export type LinkInput = Pick<
  ClientInput,
  'policy' | 'subset' | 'throttle' | 'retry' | 'activeLimit' | 'ejects' | 'localities'
>;

/** How a client, or a backend, uses a service of so many backends. */
export function drawLink(chance: Chance, backends: number): LinkInput {
  return {
    policy: chance.oneOf(POLICY_NAMES),
    throttle: chance.flip(0.3) ? false : drawThrottle(chance),
    retry: { maxAttempts: chance.whole(1, 4), budget: chance.flip(0.1) ? 0 : chance.between(0.05, 0.5) },
    activeLimit: Math.round(chance.scaled(4, 100)),
    ejects: chance.flip(0.5),
    ...chance.maybe(0.5, () => ({
      subset: {
        size: chance.whole(1, backends),
        algorithm: chance.oneOf(['random', 'deterministic', 'rocksteadier'] as const),
      },
    })),
  };
}

/** Windows of a second or so, where two minutes are usual: a run of a minute then sees many of them pass. */
function drawThrottle(chance: Chance): LinkInput['throttle'] {
  return {
    k: chance.between(1.5, 4),
    windowMs: chance.between(500, 2_000),
    recovery: chance.oneOf(['window', 'streak'] as const),
  };
}
