import type { LinePanel, Panel } from '../../simulator/report/figure.js';
import type { CategoryLabels } from './category-labels.js';
import type { XAxisOption, YAxisOption } from './chart.js';
import { FONT_SIZE, type Palette } from './palette.js';
import { logScale, type Scale, spanScale, valueScale } from './scale.js';
import { tickLabel } from './text.js';

/** Of the upright axis; of all panels together where they share it. */
export function valueScales(panels: readonly Panel[], isShared: boolean): Scale[] {
  if (!isShared) return panels.map((panel) => scaleOf([panel]));
  const shared = scaleOf(panels);
  return panels.map(() => shared);
}

function scaleOf(panels: readonly Panel[]): Scale {
  const values = panels.flatMap(valuesOf);
  if (panels.some(({ y }) => y.isLogarithmic)) return logScale(values);
  return valueScale(values, Math.min(...panels.map(smallestSpread)));
}

/** Bars are compared by their length. Lines of hardly any difference are worth a closer look, if there is a mark, sooner. */
function smallestSpread({ kind, marks = [] }: Panel): number {
  if (kind === 'bars') return 0;
  return marks.length > 0 ? 0.2 : 0.02;
}

function valuesOf(panel: Panel): number[] {
  const marks = panel.marks?.map(({ value }) => value) ?? [];
  const data =
    panel.kind === 'bars'
      ? panel.bars.flatMap(({ values }) => values)
      : panel.lines.flatMap(({ points }) => points.map(([, y]) => y));
  return [...data, ...marks];
}

/** Of the axis below lines. */
export function spanOf({ lines, x }: LinePanel): Scale {
  const values = lines.flatMap(({ points }) => points.map(([at]) => at));
  return x.isLogarithmic ? logScale(values) : spanScale(values);
}

function labelStyle({ text }: Palette) {
  return { color: text, fontSize: FONT_SIZE.small, hideOverlap: false };
}

/** What both axes are without: nothing is drawn to be clicked, and names of upright axes are titles. */
const QUIET = { silent: true, animation: false } as const;

export function yAxisOption(panel: Panel, scale: Scale, at: number, palette: Palette): YAxisOption {
  const { min, max, ticks } = scale;
  const customValues = [...ticks];
  return {
    ...QUIET,
    type: panel.y.isLogarithmic ? 'log' : 'value',
    gridIndex: at,
    min,
    max,
    // Bars stand on the axis below, also where there is no 0.
    ...(panel.y.isLogarithmic ? { startValue: min } : {}),
    axisLine: { show: false },
    axisTick: { show: false, customValues },
    axisLabel: { ...labelStyle(palette), customValues, formatter: tickLabel, margin: 8 },
    splitLine: { show: true, lineStyle: { color: palette.grid, width: 1 } },
  };
}

export function xAxisOption(panel: Panel, labels: CategoryLabels, at: number, palette: Palette): XAxisOption {
  const common = {
    ...QUIET,
    gridIndex: at,
    name: panel.x.label,
    nameLocation: 'middle',
    nameGap: 28 + labels.extraHeight,
    nameTextStyle: { color: palette.text, fontSize: FONT_SIZE.small },
    axisLine: { show: true, onZero: false, lineStyle: { color: palette.axis, width: 1 } },
    splitLine: { show: false },
  } as const;
  if (panel.kind === 'bars') {
    return {
      ...common,
      type: 'category',
      data: [...panel.x.categories],
      axisTick: { show: false },
      axisLabel: {
        ...labelStyle(palette),
        rotate: labels.rotate,
        interval: (index: number) => index % labels.every === 0,
      },
    };
  }
  const { min, max, ticks } = spanOf(panel);
  const customValues = [...ticks];
  return {
    ...common,
    type: panel.x.isLogarithmic ? 'log' : 'value',
    min,
    max,
    axisTick: { show: true, length: 4, lineStyle: { color: palette.axis }, customValues },
    axisLabel: { ...labelStyle(palette), customValues, formatter: tickLabel },
  };
}
