import { FONT_SIZE } from './palette.js';
import { textWidth } from './text.js';

/** With more categories than this, labels are left out rather than turned. */
const MOST_TURNED = 16;

const TURN_DEGREES = 30;

/** Between two labels. */
const GAP = 10;

/** How the names below bars are shown so that none covers another. */
export interface CategoryLabels {
  /** Every how many-th is shown. */
  readonly every: number;
  /** Degrees. */
  readonly rotate: number;
  /** What turned labels need below, more than others. */
  readonly extraHeight: number;
}

export function categoryLabels(names: readonly string[], width: number): CategoryLabels {
  const widest = Math.max(0, ...names.map((name) => textWidth(name, FONT_SIZE.small)));
  const room = width / Math.max(1, names.length);
  if (widest + GAP <= room) return { every: 1, rotate: 0, extraHeight: 0 };
  if (names.length <= MOST_TURNED) {
    const extraHeight = Math.ceil(widest * Math.sin((TURN_DEGREES * Math.PI) / 180));
    return { every: 1, rotate: TURN_DEGREES, extraHeight };
  }
  return { every: roundUp((widest + GAP) / room), rotate: 0, extraHeight: 0 };
}

/** 1, 2, 5, 10, 20, 50, …: names are mostly numbered. */
function roundUp(least: number): number {
  const decade = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((digit) => digit * decade).find((step) => step >= least)!;
}
