import { hasSymbols, pointsShown, thinOpacity } from '../../../../src/simulations/figures/drawn.js';
import type { PanelLayout } from '../../../../src/simulations/figures/layout.js';
import type { Looks, Palette } from '../../../../src/simulations/figures/palette.js';
import type { LinePanel } from '../../../../src/simulator/report/figure.js';
import type { Position } from './positions.js';
import { linePath, symbolPath } from './shapes.js';

interface Props {
  readonly panel: LinePanel;
  readonly place: PanelLayout;
  readonly looks: Looks;
  readonly palette: Palette;
  readonly x: Position;
  readonly y: Position;
}

/** Thin lines first: the others lie on them. */
export function LinesView({ panel, place, looks, palette, x, y }: Props) {
  const { width } = place.plot;
  const thin = panel.lines.filter(({ isThin }) => isThin);
  const named = panel.lines.filter(({ isThin }) => !isThin);
  return (
    <g fill="none" stroke-linejoin="bevel">
      <g stroke={palette.series[0]} stroke-opacity={thinOpacity(panel)}>
        {thin.map((line) => (
          <path key={line.name} d={linePath(pointsShown(line, panel, width), x, y)} />
        ))}
      </g>
      {named.map((line) => {
        const { colour, symbol, isDashed } = looks.get(line.name)!;
        const points = pointsShown(line, panel, width);
        return (
          <g key={line.name}>
            <path
              d={linePath(points, x, y)}
              stroke={colour}
              stroke-width={2}
              {...(isDashed && { 'stroke-dasharray': '8 4' })}
            />
            {hasSymbols(points) && (
              <path d={points.map(([px, py]) => symbolPath(symbol, x(px), y(py))).join('')} fill={colour} />
            )}
          </g>
        );
      })}
    </g>
  );
}
