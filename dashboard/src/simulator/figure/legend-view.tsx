import { LEGEND_ITEM, LINE_HEIGHT, legendPlaces } from '../../../../src/simulations/figures/layout.js';
import { FONT_SIZE, type Palette } from '../../../../src/simulations/figures/palette.js';
import type { FigurePlan } from '../../../../src/simulations/figures/plan.js';
import type { Panel } from '../../../../src/simulator/report/figure.js';
import { symbolPath } from './shapes.js';
import { Words } from './words.js';

interface Props {
  readonly plan: FigurePlan;
  readonly panels: readonly Panel[];
  readonly palette: Palette;
}

/** Each name after a sample of its line, or of its bars. */
export function LegendView({ plan: { legend, layout, looks }, panels, palette }: Props) {
  const isOfBars = panels.every(({ kind }) => kind === 'bars');
  const sample = isOfBars ? LEGEND_ITEM.height : LEGEND_ITEM.width;
  return (
    <>
      {legendPlaces(legend, layout.width - 2 * layout.x).map(({ name, row, x: after }) => {
        const { colour, symbol, isDashed } = looks.get(name)!;
        const [x, y] = [layout.x + after, layout.legendY + row * LINE_HEIGHT.legend + LEGEND_ITEM.height / 2];
        return (
          <g key={name}>
            {isOfBars ? (
              <rect x={x} y={y - sample / 2} width={sample} height={sample} fill={colour} />
            ) : (
              <>
                <path
                  d={`M${x} ${y}h${sample}`}
                  stroke={colour}
                  stroke-width={2}
                  {...(isDashed && { 'stroke-dasharray': '8 4' })}
                />
                <path d={symbolPath(symbol, x + sample / 2, y)} fill={colour} />
              </>
            )}
            <Words x={x + sample + LEGEND_ITEM.padding} y={y} size={FONT_SIZE.text} colour={palette.text}>
              {name}
            </Words>
          </g>
        );
      })}
    </>
  );
}
