import type { Check } from '../report.js';
import { roundTo } from './statistics.js';

export function atLeast(name: string, value: number, bound: number): Check {
  return { name, value: roundTo(value, 3), bound: `>= ${bound}`, holds: value >= bound };
}

export function atMost(name: string, value: number, bound: number): Check {
  return { name, value: roundTo(value, 3), bound: `<= ${bound}`, holds: value <= bound };
}
