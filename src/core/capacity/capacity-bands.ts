import { type CapacityBand, MOST_SUBCLIENTS } from './capacity-messages.js';

/** Those of one priority become one. The highest priority comes first. */
export function addBands(bands: readonly CapacityBand[]): CapacityBand[] {
  const sums = new Map<number, CapacityBand>();
  for (const { priority, wants, subclients } of bands) {
    const sum = sums.get(priority);
    sums.set(priority, {
      priority,
      wants: wants + (sum?.wants ?? 0),
      subclients: Math.min(MOST_SUBCLIENTS, subclients + (sum?.subclients ?? 0)),
    });
  }
  return [...sums.values()].sort((a, b) => b.priority - a.priority);
}

/** No more than so much together: what comes first is kept. */
export function cutBands(bands: readonly CapacityBand[], most: number): CapacityBand[] {
  let left = most;
  return bands.map((band) => {
    const wants = Math.min(band.wants, left);
    left -= wants;
    return { ...band, wants };
  });
}

export function wantsOf(bands: readonly CapacityBand[]): number {
  return bands.reduce((sum, { wants }) => sum + wants, 0);
}

export function subclientsOf(bands: readonly CapacityBand[]): number {
  return bands.reduce((sum, { subclients }) => sum + subclients, 0);
}
