import { spanOf } from '../../../../src/simulations/figures/axes.js';
import type { CategoryLabels } from '../../../../src/simulations/figures/category-labels.js';
import { marksShown } from '../../../../src/simulations/figures/drawn.js';
import type { PanelLayout } from '../../../../src/simulations/figures/layout.js';
import { FONT_SIZE, type Looks, type Palette } from '../../../../src/simulations/figures/palette.js';
import type { Scale } from '../../../../src/simulations/figures/scale.js';
import { tickLabel } from '../../../../src/simulations/figures/text.js';
import type { Panel } from '../../../../src/simulator/report/figure.js';
import { BarsView } from './bars-view.js';
import { LinesView } from './lines-view.js';
import { type Position, positionOf } from './positions.js';
import { Words } from './words.js';

export interface PanelViewProps {
  readonly panel: Panel;
  readonly place: PanelLayout;
  readonly scale: Scale;
  readonly labels: CategoryLabels;
  readonly looks: Looks;
  readonly palette: Palette;
  readonly areMarksBeside: boolean;
}

/** One panel: axes, data, marks. */
export function PanelView(props: PanelViewProps) {
  const { panel, place, scale, palette } = props;
  const { plot, titleY, nameY } = place;
  const y = positionOf(scale, panel.y.isLogarithmic ?? false, plot.y + plot.height, plot.y);
  return (
    <g>
      <Words x={place.x} y={titleY + 7} size={FONT_SIZE.panel} colour={palette.title} isBold>
        {panel.title}
      </Words>
      <Words x={place.x} y={nameY + 6} size={FONT_SIZE.small} colour={palette.text}>
        {panel.y.label}
      </Words>
      <ValueAxis {...props} y={y} />
      {panel.kind === 'bars' ? (
        <CategoryAxis {...props} names={panel.x.categories} />
      ) : (
        <SpanAxis {...props} span={spanOf(panel)} x={acrossOf(props)} />
      )}
      {panel.kind === 'lines' && <LinesView {...props} panel={panel} x={acrossOf(props)} y={y} />}
      {panel.kind === 'bars' && <BarsView {...props} panel={panel} y={y} />}
      <Marks {...props} y={y} />
    </g>
  );
}

function acrossOf({ panel, place: { plot } }: PanelViewProps): Position {
  if (panel.kind === 'bars') return () => plot.x;
  return positionOf(spanOf(panel), panel.x.isLogarithmic ?? false, plot.x, plot.x + plot.width);
}

function ValueAxis({ place: { plot }, scale, palette, y }: PanelViewProps & { readonly y: Position }) {
  return (
    <>
      {scale.ticks.map((tick) => (
        <g key={tick}>
          <path d={`M${plot.x} ${y(tick)}h${plot.width}`} stroke={palette.grid} />
          <Words x={plot.x - 8} y={y(tick)} size={FONT_SIZE.small} colour={palette.text} anchor="end">
            {tickLabel(tick)}
          </Words>
        </g>
      ))}
    </>
  );
}

function SpanAxis({ span, x, ...props }: PanelViewProps & { readonly span: Scale; readonly x: Position }) {
  const { place, palette } = props;
  const bottom = place.plot.y + place.plot.height;
  return (
    <>
      <AxisLine {...props} />
      {span.ticks.map((tick) => (
        <g key={tick}>
          <path d={`M${x(tick)} ${bottom}v4`} stroke={palette.axis} />
          <Words x={x(tick)} y={bottom + 13} size={FONT_SIZE.small} colour={palette.text} anchor="middle">
            {tickLabel(tick)}
          </Words>
        </g>
      ))}
    </>
  );
}

function CategoryAxis({ names, ...props }: PanelViewProps & { readonly names: readonly string[] }) {
  const { place, palette, labels } = props;
  const { x, y, width, height } = place.plot;
  const room = width / names.length;
  const isTurned = labels.rotate > 0;
  return (
    <>
      <AxisLine {...props} />
      {names.map((name, at) =>
        at % labels.every === 0 ? (
          <Words
            key={name}
            x={x + (at + 0.5) * room}
            y={y + height + (isTurned ? 9 : 13)}
            size={FONT_SIZE.small}
            colour={palette.text}
            anchor={isTurned ? 'end' : 'middle'}
            turn={labels.rotate}
          >
            {name}
          </Words>
        ) : null,
      )}
    </>
  );
}

function AxisLine({ panel, place: { plot }, palette, labels }: PanelViewProps) {
  const bottom = plot.y + plot.height;
  return (
    <>
      <path d={`M${plot.x} ${bottom}h${plot.width}`} stroke={palette.axis} />
      <Words
        x={plot.x + plot.width / 2}
        y={bottom + 33 + labels.extraHeight}
        size={FONT_SIZE.small}
        colour={palette.text}
        anchor="middle"
      >
        {panel.x.label}
      </Words>
    </>
  );
}

function Marks({
  panel,
  place: { plot },
  palette,
  areMarksBeside,
  y,
}: PanelViewProps & { readonly y: Position }) {
  const right = plot.x + plot.width;
  return (
    <>
      {marksShown(panel).map(({ value, label }) => (
        <g key={label}>
          <path d={`M${plot.x} ${y(value)}h${plot.width}`} stroke={palette.mark} stroke-dasharray="5 4" />
          <Words
            x={areMarksBeside ? right + 6 : right}
            y={areMarksBeside ? y(value) : y(value) - 8}
            size={FONT_SIZE.small}
            colour={palette.mark}
            anchor={areMarksBeside ? 'start' : 'end'}
            rim={palette.paper}
          >
            {label}
          </Words>
        </g>
      ))}
    </>
  );
}
