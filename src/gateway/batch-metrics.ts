import type { RouteSnapshot } from './snapshot.js';

export const BATCH_GAUGES =
  'Of routes for batches: waiting, under way, jobs, and requests a second at present';

export interface BatchReading {
  readonly route: string;
  readonly gauges: readonly (readonly [kind: string, value: number])[];
  readonly counts: readonly (readonly [outcome: string, count: number])[];
}

/** What metrics tell of routes for batches. Jobs are not told apart: there may be thousands. */
export function batchReadings(
  routes: Readonly<Record<string, RouteSnapshot>>,
  most: number,
): readonly BatchReading[] {
  const readings: BatchReading[] = [];
  for (const [route, { batch }] of Object.entries(routes)) {
    if (batch === undefined || readings.length >= most) continue;
    const { waiting, underWay, jobCount, pace, counts } = batch;
    const { forwarded, left, refused } = counts;
    readings.push({
      route,
      gauges: [
        ['waiting', waiting],
        ['under-way', underWay],
        ['jobs', jobCount],
        ['rate', pace.ratePerSecond],
      ],
      counts: [['forwarded', forwarded], ['left', left], ...Object.entries(refused)],
    });
  }
  return readings;
}
