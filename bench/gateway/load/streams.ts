import { type Arrivals, type Spacing, scheduleArrivals } from '../../overload/load/arrivals.js';
import type { FloodOptions } from '../../overload/load/open-loop.js';

/** Requests of one kind, with a schedule of their own. */
export interface Stream {
  readonly name: string;
  readonly path: string;
  readonly criticality?: string;
  readonly perSecond: number;
  readonly spacing: Spacing;
}

/** `mix` has the streams' names, in their order: what becomes of each is told by them. */
export interface StreamFloodOptions extends FloodOptions {
  readonly streams: readonly Stream[];
}

/** All streams in one schedule. A stream's own does not depend on which others there are. */
export function scheduleStreams({
  streams,
  seconds,
  seed,
}: Pick<StreamFloodOptions, 'streams' | 'seconds' | 'seed'>): Arrivals {
  const due = streams.flatMap(({ perSecond, spacing }, kind) => {
    const { atMs } = scheduleArrivals({ perSecond, seconds, spacing, mix: [], seed: seed * 100 + kind });
    return Array.from(atMs, (at) => ({ at, kind }));
  });
  due.sort((a, b) => a.at - b.at);
  return {
    atMs: Float64Array.from(due, ({ at }) => at),
    kinds: Uint8Array.from(due, ({ kind }) => kind),
  };
}
