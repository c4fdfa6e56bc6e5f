import type { Palette } from './palette.js';
import type { Point, TimeSeries } from './time-series.js';

/** The plot within its canvas; the style sheet has the same numbers for what lies over it. */
export const GRID = { left: 46, right: 12, top: 18, bottom: 22 };

/** What does not change from second to second. */
export function frameOption(palette: Palette, format: (value: number) => string) {
  const label = { color: palette['ink-soft'], fontSize: 11 };
  return {
    animation: false,
    textStyle: { fontFamily: 'system-ui, sans-serif' },
    grid: GRID,
    // Of times, although they count from now: of two axes of values the wrong one would be stacked. Its words are the page's.
    xAxis: {
      type: 'time',
      max: 0,
      axisLine: { lineStyle: { color: palette.line } },
      axisTick: { show: false },
      splitLine: { show: false },
      axisLabel: { show: false },
    },
    yAxis: {
      type: 'value',
      min: 0,
      splitNumber: 4,
      splitLine: { lineStyle: { color: palette.line, width: 1 } },
      axisLabel: { ...label, formatter: format, showMaxLabel: false },
    },
  };
}

/** What changes with each sample. */
export function dataOption(
  series: readonly TimeSeries[],
  points: readonly (readonly Point[])[],
  { max, spanMs }: { readonly max: number; readonly spanMs: number },
  palette: Palette,
) {
  return {
    xAxis: { min: -spanMs },
    yAxis: { max },
    series: series.map(({ name, colour, look }, i) => ({
      type: 'line',
      name,
      data: points[i],
      silent: true,
      showSymbol: false,
      color: palette[colour],
      lineStyle: { width: look === 'stack' ? 0.5 : 1.75, type: look === 'dashed' ? 'dashed' : 'solid' },
      ...(look === 'stack' ? { stack: 'all', areaStyle: { opacity: 0.75 } } : {}),
      ...(look === 'area' ? { areaStyle: { opacity: 0.14 } } : {}),
    })),
  };
}

/** Where the axis ends: above the highest point, those of a stack on top of each other. */
export function axisEnd(
  series: readonly TimeSeries[],
  points: readonly (readonly Point[])[],
  atLeast: number,
): number {
  const length = Math.max(0, ...points.map((each) => each.length));
  let highest = 0;
  for (let i = 0; i < length; i++) {
    let stacked = 0;
    for (const [s, { look }] of series.entries()) {
      const value = points[s]?.[i]?.[1] ?? 0;
      if (look === 'stack') stacked += value;
      else highest = Math.max(highest, value);
    }
    highest = Math.max(highest, stacked);
  }
  return Math.max(atLeast, niceAbove(highest));
}

/** Room above the highest, so that a line does not run along the edge; and an end that does not move with every sample. */
export function niceAbove(value: number): number {
  if (value <= 0) return 0;
  const step = 10 ** Math.floor(Math.log10(value)) / 2;
  return Math.ceil((value * 1.05) / step) * step;
}

export function agoText(agoMs: number): string {
  const seconds = Math.round(agoMs / 1_000);
  if (seconds === 0) return 'now';
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
