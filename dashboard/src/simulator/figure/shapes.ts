import type { BarStyle } from '../../../../src/simulations/figures/drawn.js';
import type { Box } from '../../../../src/simulations/figures/layout.js';
import type { Look } from '../../../../src/simulations/figures/palette.js';
import type { BarPanel, Line } from '../../../../src/simulator/report/figure.js';
import { type Position, round } from './positions.js';

/** A line through points, as SVG has it. */
export function linePath(points: Line['points'], x: Position, y: Position): string {
  return points.map(([px, py], at) => `${at === 0 ? 'M' : 'L'}${x(px)} ${y(py)}`).join('');
}

/** Six pixels wide, around a point. */
export function symbolPath(symbol: Look['symbol'], x: number, y: number): string {
  switch (symbol) {
    case 'circle':
      return `M${x - 3} ${y}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0`;
    case 'rect':
      return `M${x - 3} ${y - 3}h6v6h-6z`;
    case 'triangle':
      return `M${x} ${y - 3}l3 6h-6z`;
    case 'diamond':
      return `M${x} ${y - 3}l3 3l-3 3l-3 -3z`;
  }
}

export interface BarBox extends Box {
  readonly name: string;
  readonly value: number;
}

/** The bars of a panel: those of one category beside each other, in the middle of its room. */
export function barBoxes(panel: BarPanel, style: BarStyle, plot: Box, y: Position, bottom: number): BarBox[] {
  const { bars, x } = panel;
  const room = plot.width / x.categories.length;
  const together = bars.length + (bars.length - 1) * style.barGap;
  const width = Math.min(style.widest, (room * (1 - style.categoryGap)) / together);
  return bars.flatMap(({ name, values }, bar) =>
    values.map((value, category) => {
      const middle = plot.x + (category + 0.5) * room;
      const left = middle - (together * width) / 2 + bar * width * (1 + style.barGap);
      const top = y(value);
      return {
        name,
        value,
        x: round(left),
        y: Math.min(top, bottom),
        width: round(width),
        height: round(Math.abs(bottom - top)),
      };
    }),
  );
}
