import type { Metered } from './metered.js';

/** A request that nothing is known of yet, for tests. */
export function metered(given: Partial<Metered> = {}): Metered {
  return {
    route: '/a',
    customer: 'mail',
    criticality: 'CRITICAL',
    deadline: Number.POSITIVE_INFINITY,
    remainingMs: () => Number.POSITIVE_INFINITY,
    attempt: 1,
    degraded: false,
    cost: 0,
    charge: () => {},
    cpu: undefined,
    cpuMs: 0,
    isCpuSettled: false,
    ...given,
  };
}
