import type { Check } from '../report.js';
import { roundTo } from './statistics.js';

/** `why`: what somebody should know who reads that it does not hold. */
export function atLeast(name: string, value: number, bound: number, why?: string): Check {
  return withWhy({ name, value: roundTo(value, 3), bound: `>= ${bound}`, holds: value >= bound }, why);
}

export function atMost(name: string, value: number, bound: number, why?: string): Check {
  return withWhy({ name, value: roundTo(value, 3), bound: `<= ${bound}`, holds: value <= bound }, why);
}

function withWhy(check: Check, why: string | undefined): Check {
  return why === undefined ? check : { ...check, why };
}
