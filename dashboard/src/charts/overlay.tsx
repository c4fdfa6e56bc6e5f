import { useState } from 'preact/hooks';
import type { ColourName } from './palette.js';
import { point, usePointed } from './pointer.js';
import { agoText } from './time-option.js';
import { type Mark, type Point, placeLabels, type TimeSeries } from './time-series.js';

/** A line across the chart: where something begins or ends. */
export interface Level {
  readonly value: number;
  readonly label: string;
  readonly colour: ColourName;
}

interface OverlayProps {
  readonly series: readonly TimeSeries[];
  readonly points: readonly (readonly Point[])[];
  readonly marks: readonly Mark[];
  readonly areMarksNamed: boolean;
  readonly levels: readonly Level[];
  readonly max: number;
  readonly spanMs: number;
  /** Of the plot, in pixels. */
  readonly width: number;
  readonly format: (value: number) => string;
}

/** What lies over the lines: levels, marks of what happened, and the numbers under the pointer. */
export function Overlay({
  series,
  points,
  marks,
  areMarksNamed,
  levels,
  max,
  spanMs,
  width,
  format,
}: OverlayProps) {
  const pointed = usePointed();
  const [isHere, setIsHere] = useState(false);
  const follow = ({ currentTarget, offsetX }: PointerEvent) => {
    const { clientWidth } = currentTarget as HTMLElement;
    setIsHere(true);
    point(Math.min(0, Math.max(-spanMs, (offsetX / clientWidth - 1) * spanMs)));
  };
  const leave = () => {
    setIsHere(false);
    point(undefined);
  };
  return (
    <div class="overlay" aria-hidden="true" onPointerMove={follow} onPointerLeave={leave}>
      {ticksOf(spanMs).map((agoMs) => (
        <span key={agoMs} class="tick" style={{ left: leftOf(agoMs, spanMs) }}>
          {agoText(agoMs)}
        </span>
      ))}
      {levels
        .filter(({ value }) => value < max)
        .map(({ value, label, colour }, i) => (
          <span key={label} class={`level c-${colour}`} style={{ bottom: `${(100 * value) / max}%` }}>
            <span class={`level-label at-${i % 4}`}>{label}</span>
          </span>
        ))}
      {(areMarksNamed ? placeLabels(marks, spanMs, width) : marks).map(
        ({ agoMs, tone, label, side = 'none' }) => (
          <span
            key={agoMs}
            class={`chart-mark tone-${tone} to-${side}`}
            style={{ left: leftOf(agoMs, spanMs) }}
          >
            {side === 'none' ? '' : label}
          </span>
        ),
      )}
      {pointed === undefined ? undefined : <span class="pointed" style={{ left: leftOf(pointed, spanMs) }} />}
      {pointed !== undefined && isHere ? (
        <Tip series={series} points={points} pointed={pointed} spanMs={spanMs} format={format} />
      ) : undefined}
    </div>
  );
}

function leftOf(agoMs: number, spanMs: number): string {
  return `${(100 * (1 + agoMs / spanMs)).toFixed(2)}%`;
}

/** Four steps, or five of the whole five minutes. */
function ticksOf(spanMs: number): number[] {
  const steps = spanMs >= 300_000 ? 5 : 4;
  return Array.from({ length: steps + 1 }, (_, i) => -spanMs + (i * spanMs) / steps);
}

/** Near the right edge words stand on the left. */
function sideOf(agoMs: number, spanMs: number): string {
  return agoMs > -spanMs / 2 ? 'to-left' : 'to-right';
}

interface TipProps extends Pick<OverlayProps, 'series' | 'points' | 'spanMs' | 'format'> {
  readonly pointed: number;
}

function Tip({ series, points, pointed, spanMs, format }: TipProps) {
  const index = nearestIndex(points[0] ?? [], pointed);
  if (index === undefined) return null;
  const agoMs = points[0]![index]![0];
  return (
    <div class={`chart-tip ${sideOf(agoMs, spanMs)}`} style={{ left: leftOf(agoMs, spanMs) }}>
      <p>{agoText(agoMs)}</p>
      {series.map(({ name, colour }, i) => {
        const value = points[i]?.[index]?.[1];
        return value === null || value === undefined ? undefined : (
          <p key={name}>
            <i class={`swatch c-${colour}`} />
            {name} <b class="num">{format(value)}</b>
          </p>
        );
      })}
    </div>
  );
}

function nearestIndex(points: readonly Point[], agoMs: number): number | undefined {
  let nearest: number | undefined;
  let distance = 5_000;
  for (const [i, [x, value]] of points.entries()) {
    const apart = Math.abs(x - agoMs);
    if (value === null || apart > distance) continue;
    nearest = i;
    distance = apart;
  }
  return nearest;
}
