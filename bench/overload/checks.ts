import type { Check } from '../report.js';
import { roundTo } from './statistics.js';

export function atLeast(name: string, value: number, bound: number): Check {
  return { name, value: roundTo(value, 3), bound: `>= ${bound}`, holds: value >= bound };
}

/** `why`: what somebody should know who reads that it does not hold. */
export function atMost(name: string, value: number, bound: number, why?: string): Check {
  const check = { name, value: roundTo(value, 3), bound: `<= ${bound}`, holds: value <= bound };
  return why === undefined ? check : { ...check, why };
}
