import { checkLimit, checkWindowMs } from './whole-numbers.js';

/** So much in so long. */
export interface Rate {
  readonly limit: number;
  readonly windowMs: number;
}

const UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    1: ['ms', 'millisecond', 'milliseconds'],
    1000: ['s', 'sec', 'second', 'seconds'],
    60000: ['m', 'min', 'minute', 'minutes'],
    3600000: ['h', 'hour', 'hours'],
    86400000: ['d', 'day', 'days'],
  }).flatMap(([ms, names]) => names.map((name) => [name, Number(ms)] as const)),
);

/** How much, `/` or `per`, how many of a unit (1 if not said), the unit. */
const FORM = /^(\d+)\s*(?:\/|\bper\b)\s*(\d*)\s*([a-z]+)$/;

/** A rate as people write it: `300/3h`, `5 per minute`, `100/500ms`. */
export function parseRate(text: string): Rate {
  const [, limit, count, unit] = FORM.exec(String(text).trim().toLowerCase()) ?? [];
  const unitMs = UNITS.get(unit ?? '');
  if (unitMs === undefined) {
    const form = '"300/3h" or "5 per minute", in ms, s, m, h, d or their words';
    throw new RangeError(`rate must be like ${form}, got ${JSON.stringify(text)}`);
  }
  const units = count === '' ? 1 : Number(count);
  return { limit: checkLimit(Number(limit)), windowMs: checkWindowMs(units * unitMs) };
}
