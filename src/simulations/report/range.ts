/** The width of a bar: odd, so that the mean of a scale to twice the mean has a place of its own in the middle. */
const WIDTH = 31;

/** A range on a scale from 0 to `most`, with a mark at 1: `····━━━┿━━━━····`. */
export function renderRange(least: number, greatest: number, most: number, width = WIDTH): string {
  const place = (value: number) => Math.round((Math.min(value, most) / most) * (width - 1));
  const [from, to, one] = [place(least), place(greatest), place(1)];
  return Array.from({ length: width }, (_, at) => {
    const isInside = at >= from && at <= to;
    if (at === one) return isInside ? '┿' : '│';
    return isInside ? '━' : '·';
  }).join('');
}

/** Twice the mean is enough for most; a scale that is cut off would hide the worst. */
export function scaleFor(greatest: readonly number[]): number {
  return Math.max(2, Math.ceil(Math.max(...greatest.filter(Number.isFinite), 0)));
}
