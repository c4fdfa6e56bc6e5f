import type { Criticality } from '../../../core/index.js';
import type { Part } from './draw.js';

const mix = (plus: number, critical: number, sheddablePlus: number, sheddable: number) =>
  [
    { value: 'CRITICAL_PLUS', share: plus },
    { value: 'CRITICAL', share: critical },
    { value: 'SHEDDABLE_PLUS', share: sheddablePlus },
    { value: 'SHEDDABLE', share: sheddable },
  ] as const satisfies readonly Part<Criticality>[];

/**
 * How critical requests are. A twentieth is CRITICAL_PLUS in each: at ten times the load these alone are half of what the
 * fleet can serve, so it can serve them all.
 */
export const CRITICALITY_MIXES = {
  usual: mix(0.05, 0.45, 0.3, 0.2),
  'mostly-critical': mix(0.05, 0.85, 0.05, 0.05),
  'mostly-batch': mix(0.05, 0.15, 0.2, 0.6),
} as const;

export type CriticalityMixName = keyof typeof CRITICALITY_MIXES;
