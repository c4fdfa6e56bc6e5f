import { useEffect, useRef, useState } from 'preact/hooks';
import { FIGURE_WIDTH, LINE_HEIGHT } from '../../../../src/simulations/figures/layout.js';
import { FONT_FAMILY, FONT_SIZE, ON_DARK, ON_WHITE } from '../../../../src/simulations/figures/palette.js';
import { planFigure, type Sheet } from '../../../../src/simulations/figures/plan.js';
import type { Figure } from '../../../../src/simulator/report/figure.js';
import { usePaperTheme } from '../theme.js';
import { LegendView } from './legend-view.js';
import { PanelView } from './panel-view.js';
import { Words } from './words.js';

/**
 * A figure as `--svg` draws it, by the same plan, as wide as there is room, in the colours of the page. ECharts, which
 * draws it there, is larger than the simulator and all the rest of this page together.
 */
export function FigureView({ figure }: { readonly figure: Figure }) {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const theme = usePaperTheme();
  const palette = theme === 'dark' ? ON_DARK : ON_WHITE;
  return (
    <div ref={place} class="sim-figure">
      {width > 0 && <Drawing figure={figure} sheet={{ width: Math.min(width, FIGURE_WIDTH), palette }} />}
    </div>
  );
}

function useWidth(place: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, [place]);
  return width;
}

function Drawing({ figure, sheet }: { readonly figure: Figure; readonly sheet: Sheet }) {
  const { palette } = sheet;
  const plan = planFigure(figure, sheet);
  const { width, height, x, titleLines, titleY, captionLines, captionY } = plan.layout;
  return (
    <svg
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      font-family={FONT_FAMILY}
      role="img"
      aria-label={`${figure.title}. ${figure.caption}`}
    >
      <rect width={width} height={height} fill={palette.paper} />
      {titleLines.map((line, at) => (
        <Words
          key={line}
          x={x}
          y={titleY + (at + 0.5) * LINE_HEIGHT.title}
          size={FONT_SIZE.title}
          colour={palette.title}
          isBold
        >
          {line}
        </Words>
      ))}
      {captionLines.map((line, at) => (
        <Words
          key={line}
          x={x}
          y={captionY + (at + 0.5) * LINE_HEIGHT.caption}
          size={FONT_SIZE.caption}
          colour={palette.caption}
        >
          {line}
        </Words>
      ))}
      <LegendView plan={plan} panels={figure.panels} palette={palette} />
      {figure.panels.map((panel, at) => (
        <PanelView
          key={panel.title}
          panel={panel}
          place={plan.layout.panels[at]!}
          scale={plan.scales[at]!}
          labels={plan.labels[at]!}
          looks={plan.looks}
          palette={palette}
          areMarksBeside={plan.areMarksBeside}
        />
      ))}
    </svg>
  );
}
