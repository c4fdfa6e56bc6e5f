/** What an axis shows, and where its labels are. */
export interface Scale {
  readonly min: number;
  readonly max: number;
  readonly ticks: readonly number[];
}

const DEFAULT_SCALE: Scale = { min: 0, max: 1, ticks: [0, 0.5, 1] };

/** Beyond three decades the steps in between are too close to each other. */
const MOST_DECADES_WITH_STEPS = 3;

/** Parts of a step. */
const NEARLY = 0.1;

/**
 * For values on the upright axis: from 0 to a round number. Only where values differ by less than `smallestSpread`, as a
 * part of the greatest, an axis from 0 would show nothing but a flat line, and starts elsewhere.
 */
export function valueScale(values: readonly number[], smallestSpread: number, about = 5): Scale {
  const extent = extentOf(values);
  if (extent === undefined) return DEFAULT_SCALE;
  let [min, max] = extent;
  const spread = (max - min) / Math.max(Math.abs(min), Math.abs(max));
  // What differs by rounding errors only does not differ.
  const isFlat = spread > 1e-6 && spread < smallestSpread;
  if (!isFlat) [min, max] = [Math.min(0, min), Math.max(0, max)];
  // All are 0: any scale shows it.
  if (min === max) return DEFAULT_SCALE;
  const step = roundStep((max - min) / about, [1, 2, 2.5, 5, 10]);
  // A value that is a tick but for a rounding error does not need another one; but where the axis does not start at 0,
  // what lies at its ends would look as if it were cut off.
  const slack = min === 0 || max === 0 ? -1e-9 : NEARLY;
  const first = Math.floor(min / step - (min === 0 ? 0 : slack));
  const last = Math.ceil(max / step + (max === 0 ? 0 : slack));
  const ticks = Array.from({ length: last - first + 1 }, (_, at) => clean((first + at) * step));
  return { min: ticks[0]!, max: ticks.at(-1)!, ticks };
}

/** For the axis below: just what there is, with round numbers in it. */
export function spanScale(values: readonly number[], about = 6): Scale {
  const extent = extentOf(values);
  if (extent === undefined) return DEFAULT_SCALE;
  let [min, max] = extent;
  if (min === max) [min, max] = [min - 1, max + 1];
  // Time that starts with the first sample starts at 0.
  if (min > 0 && min < 0.1 * max) min = 0;
  const step = roundStep((max - min) / about, [1, 2, 5, 10]);
  // Where a round number is only just missed, it is shown.
  const first = Math.ceil(min / step - NEARLY);
  const last = Math.floor(max / step + NEARLY);
  [min, max] = [Math.min(min, clean(first * step)), Math.max(max, clean(last * step))];
  return { min, max, ticks: Array.from({ length: last - first + 1 }, (_, at) => clean((first + at) * step)) };
}

/** What is not above 0 has no place on it. */
export function logScale(values: readonly number[]): Scale {
  const extent = extentOf(values.filter((value) => value > 0));
  if (extent === undefined) return { min: 1, max: 10, ticks: [1, 10] };
  const [least, most] = extent;
  const steps = logSteps(Math.floor(Math.log10(least)), Math.ceil(Math.log10(most)) + 1);
  const from = steps.findLastIndex((step) => step <= least * (1 + 1e-9));
  const to = Math.max(
    steps.findIndex((step) => step >= most * (1 - 1e-9)),
    from + 1,
  );
  const within = steps.slice(from, to + 1);
  const [min, max] = [within[0]!, within.at(-1)!];
  const decades = within.filter(isDecade);
  const isWide = max / min > 10 ** MOST_DECADES_WITH_STEPS;
  return { min, max, ticks: isWide ? everyFew(decades, 7) : within };
}

/** `1, 2, 5, 10, 20, 50, …` from a decade to another. */
function logSteps(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at).flatMap((exponent) =>
    [1, 2, 5].map((digit) => Number(`${digit}e${exponent}`)),
  );
}

function isDecade(step: number): boolean {
  return step.toExponential().startsWith('1e');
}

function everyFew(ticks: readonly number[], most: number): number[] {
  const every = Math.ceil(ticks.length / most);
  return ticks.filter((_, at) => at % every === 0);
}

/** The nearest round number: one of these digits with zeros. */
function roundStep(rough: number, digits: readonly number[]): number {
  const decade = 10 ** Math.floor(Math.log10(rough));
  const distance = (digit: number) => Math.abs(Math.log((digit * decade) / rough));
  return digits.reduce((best, digit) => (distance(digit) < distance(best) ? digit : best)) * decade;
}

/** 3 * 0.1 is 0.30000000000000004. */
function clean(value: number): number {
  return Number(value.toPrecision(12));
}

/** Not by `Math.min(...)`: there may be a hundred thousand. */
function extentOf(values: readonly number[]): [min: number, max: number] | undefined {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return min <= max ? [min, max] : undefined;
}
