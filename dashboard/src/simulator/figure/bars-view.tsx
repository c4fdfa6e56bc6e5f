import { barStyle } from '../../../../src/simulations/figures/drawn.js';
import type { PanelLayout } from '../../../../src/simulations/figures/layout.js';
import { FONT_SIZE, type Looks, type Palette } from '../../../../src/simulations/figures/palette.js';
import type { Scale } from '../../../../src/simulations/figures/scale.js';
import { formatNumber } from '../../../../src/simulations/report/numbers.js';
import type { BarPanel } from '../../../../src/simulator/report/figure.js';
import type { Position } from './positions.js';
import { barBoxes } from './shapes.js';
import { Words } from './words.js';

interface Props {
  readonly panel: BarPanel;
  readonly place: PanelLayout;
  readonly scale: Scale;
  readonly looks: Looks;
  readonly palette: Palette;
  readonly y: Position;
}

export function BarsView({ panel, place, scale, looks, palette, y }: Props) {
  const style = barStyle(panel);
  // Where there is no 0, as on a logarithmic axis, they stand on the axis below.
  const bottom = y(panel.y.isLogarithmic ? scale.min : 0);
  const boxes = barBoxes(panel, style, place.plot, y, bottom);
  return (
    <>
      {boxes.map(({ name, value, ...box }) => (
        <rect key={`${name} ${box.x}`} {...box} fill={looks.get(name)!.colour} />
      ))}
      {style.isLabelled &&
        boxes.map(({ name, value, x, y: top, width }) => (
          <Words
            key={`${name} ${x}`}
            x={x + width / 2}
            y={top - 9}
            size={FONT_SIZE.small}
            colour={palette.text}
            anchor="middle"
            rim={palette.paper}
          >
            {formatNumber(value)}
          </Words>
        ))}
    </>
  );
}
