import { useEffect, useRef, useState } from 'preact/hooks';
import type { Happening } from '../data/happening.js';
import type { Sample } from '../data/sample.js';
import { onThemeChange } from '../live/theme.js';
import { init } from './echarts.js';
import { type Level, Overlay } from './overlay.js';
import { type Palette, readPalette } from './palette.js';
import { axisEnd, dataOption, frameOption, GRID } from './time-option.js';
import { marksOf, type Point, pointsOf, spanOf, summaryOf, type TimeSeries } from './time-series.js';

interface TimeChartProps {
  readonly title: string;
  readonly series: readonly TimeSeries[];
  readonly samples: readonly (Sample | undefined)[];
  readonly happenings?: readonly Happening[];
  readonly format: (value: number) => string;
  readonly levels?: readonly Level[];
  /** The axis goes at least so far. */
  readonly atLeast?: number;
  readonly areMarksNamed?: boolean;
}

/** The last minutes, with what happened in them. The legend has the numbers of now. */
export function TimeChart(props: TimeChartProps) {
  const {
    title,
    series,
    samples,
    format,
    happenings = [],
    levels = [],
    atLeast = 0,
    areMarksNamed = false,
  } = props;
  const nowMs = samples.findLast((sample) => sample !== undefined)?.atMs ?? Date.now();
  const points = series.map(({ pick }) => pointsOf(samples, nowMs, pick));
  const ends = { max: axisEnd(series, points, atLeast), spanMs: spanOf(samples, nowMs) };
  const { place, width } = useCanvas(series, points, ends, format);
  const last = samples.at(-1);
  return (
    <figure class="chart">
      <figcaption class="legend">
        {series.map(({ name, colour, look, pick }) => (
          <span key={name} class="legend-item">
            <i class={`swatch swatch-${look} c-${colour}`} aria-hidden="true" />
            {name}
            <b class="num">{show(last === undefined ? undefined : pick(last), format)}</b>
          </span>
        ))}
      </figcaption>
      <div class="plot">
        <div ref={place} class="canvas" role="img" aria-label={summaryOf(title, series, samples, format)} />
        <Overlay
          series={series}
          points={points}
          marks={marksOf(happenings, nowMs, ends.spanMs)}
          areMarksNamed={areMarksNamed}
          levels={levels}
          {...ends}
          width={width}
          format={format}
        />
      </div>
    </figure>
  );
}

function show(value: number | undefined, format: (value: number) => string): string {
  return value === undefined ? '–' : format(value);
}

type Chart = ReturnType<typeof init>;

/** Left and right of the plot. */
const EDGES_PX = GRID.left + GRID.right;

/** Draws into the place it returns, anew when colours or its width change. What nobody sees is not drawn. */
function useCanvas(
  series: readonly TimeSeries[],
  points: readonly (readonly Point[])[],
  ends: { readonly max: number; readonly spanMs: number },
  format: (value: number) => string,
) {
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<{ readonly chart: Chart; readonly palette: Palette } | undefined>(undefined);
  const isNear = useRef(true);
  const [width, setWidth] = useState(600);
  const [, redraw] = useState(0);

  useEffect(() => {
    const element = place.current!;
    const chart = init(element);
    const frame = () => {
      const palette = readPalette();
      chart.resize();
      chart.setOption(frameOption(palette, format));
      drawn.current = { chart, palette };
      setWidth(element.clientWidth - EDGES_PX);
      redraw((version) => version + 1);
    };
    frame();
    const stopTheme = onThemeChange(frame);
    const sizes = new ResizeObserver(frame);
    sizes.observe(element);
    const sight = new IntersectionObserver(
      ([entry]) => {
        isNear.current = entry?.isIntersecting ?? true;
        redraw((version) => version + 1);
      },
      { rootMargin: '300px' },
    );
    sight.observe(element);
    return () => {
      stopTheme();
      sizes.disconnect();
      sight.disconnect();
      chart.dispose();
    };
  }, [format]);

  useEffect(() => {
    if (drawn.current === undefined || !isNear.current || document.hidden) return;
    const { chart, palette } = drawn.current;
    chart.setOption(dataOption(series, points, ends, palette), {
      replaceMerge: ['series'],
      lazyUpdate: true,
    });
  });

  return { place, width };
}
