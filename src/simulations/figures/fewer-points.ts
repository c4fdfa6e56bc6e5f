type Point = readonly [x: number, y: number];

/**
 * A line of more points than a figure has pixels, with fewer: of each stretch the least and the greatest value, in the
 * order in which they came, so that no peak is lost.
 */
export function fewerPoints(points: readonly Point[], most: number): readonly Point[] {
  if (points.length <= most) return points;
  const stretches = Math.max(1, Math.floor(most / 2));
  return Array.from({ length: stretches }, (_, at) => {
    const from = Math.floor((at * points.length) / stretches);
    const to = Math.floor(((at + 1) * points.length) / stretches);
    return extremes(points, from, to);
  }).flat();
}

function extremes(points: readonly Point[], from: number, to: number): Point[] {
  let [least, greatest] = [from, from];
  for (let at = from + 1; at < to; at++) {
    if (points[at]![1] < points[least]![1]) least = at;
    if (points[at]![1] > points[greatest]![1]) greatest = at;
  }
  if (least === greatest) return [points[least]!];
  return [points[Math.min(least, greatest)]!, points[Math.max(least, greatest)]!];
}
