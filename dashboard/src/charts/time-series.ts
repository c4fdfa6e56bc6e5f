import type { Happening } from '../data/happening.js';
import { HISTORY_MS } from '../data/history.js';
import type { Sample } from '../data/sample.js';
import type { ColourName } from './palette.js';

/** What a chart shows at first, and later: five minutes with ten seconds in them would be an empty chart. */
const SPANS_MS = [60_000, 120_000, HISTORY_MS] as const;

/** The shortest that all samples fit into. */
export function spanOf(samples: readonly (Sample | undefined)[], nowMs: number): number {
  const oldestMs = samples.find((sample) => sample !== undefined)?.atMs ?? nowMs;
  return SPANS_MS.find((span) => nowMs - oldestMs <= span) ?? HISTORY_MS;
}

/** One line or area of a chart over time. */
export interface TimeSeries {
  readonly name: string;
  readonly colour: ColourName;
  readonly look: 'line' | 'area' | 'stack' | 'dashed';
  readonly pick: (sample: Sample) => number | undefined;
}

/** [ms from now, at most 0; value, null where there is none]. */
export type Point = readonly [number, number | null];

export function pointsOf(
  samples: readonly (Sample | undefined)[],
  nowMs: number,
  pick: TimeSeries['pick'],
): Point[] {
  const points: Point[] = [];
  for (const sample of samples) {
    if (sample === undefined) {
      const [lastX] = points.at(-1) ?? [-HISTORY_MS];
      points.push([lastX, null]);
    } else points.push([sample.atMs - nowMs, finite(pick(sample))]);
  }
  return points;
}

function finite(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}

export interface Mark {
  /** Where its words stand; none: there is no room for them. */
  readonly side?: 'left' | 'right' | 'none';
  /** From now, at most 0. */
  readonly agoMs: number;
  readonly tone: Happening['tone'];
  readonly label: string;
}

/** Marks closer together than this part of the span are one: their labels would cover each other. */
const APART = 0.02;
/** The same once more is worth no mark of its own for longer. */
const SAME_APART = 0.1;

/** Of what happened within the chart's span; what happened at about the same time shares a mark. */
export function marksOf(happenings: readonly Happening[], nowMs: number, spanMs: number): Mark[] {
  const marks: Mark[] = [];
  const oldestFirst = [...happenings].reverse();
  for (const { atMs, tone, label } of oldestFirst) {
    const agoMs = Math.min(0, atMs - nowMs);
    if (agoMs < -spanMs) continue;
    const last = marks.at(-1);
    const apart = (label === last?.label ? SAME_APART : APART) * spanMs;
    if (last === undefined || agoMs - last.agoMs > apart) marks.push({ agoMs, tone, label });
    else
      marks[marks.length - 1] = { ...last, tone: worse(last.tone, tone), label: joined(last.label, label) };
  }
  return marks;
}

const BADNESS: readonly Happening['tone'][] = ['plain', 'good', 'warn', 'bad'];

function worse(a: Happening['tone'], b: Happening['tone']): Happening['tone'] {
  return BADNESS.indexOf(b) > BADNESS.indexOf(a) ? b : a;
}

/** `lame duck`, `lame duck +1`, `lame duck +2`. */
function joined(label: string, other: string): string {
  if (label === other) return label;
  const [, first = label, more = '0'] = /^(.*) \+(\d+)$/.exec(label) ?? [];
  return `${first} +${Number(more) + 1}`;
}

/** How wide a letter of a label is. */
const LETTER_PX = 5.6;
const MARGIN_PX = 8;

/** Says where words go so that none cover others: the newest first, on the left of its mark where that fits. */
export function placeLabels(marks: readonly Mark[], spanMs: number, widthPx: number): Mark[] {
  let freePx = widthPx;
  const placed = [...marks].reverse().map((mark): Mark => {
    const x = (1 + mark.agoMs / spanMs) * widthPx;
    const length = mark.label.length * LETTER_PX + MARGIN_PX;
    const [side, from] =
      x - length >= 0 && x <= freePx
        ? (['left', x - length] as const)
        : x + length <= freePx
          ? (['right', x] as const)
          : (['none', freePx] as const);
    freePx = Math.min(freePx, from);
    return { ...mark, side };
  });
  return placed.reverse();
}

/** In words, for whoever does not see the chart. */
export function summaryOf(
  title: string,
  series: readonly TimeSeries[],
  samples: readonly (Sample | undefined)[],
  format: (value: number) => string,
): string {
  const known = samples.flatMap((sample) => sample ?? []);
  const parts = series.flatMap(({ name, pick }) => {
    const values = known.flatMap((sample) => pick(sample) ?? []);
    if (values.length === 0) return [];
    return `${name} ${format(values.at(-1)!)} now, between ${format(Math.min(...values))} and ${format(Math.max(...values))}`;
  });
  return parts.length === 0 ? `${title}: nothing yet.` : `${title}, lately: ${parts.join('; ')}.`;
}
