/** Between the clock that all processes of a machine have and that of this one. */
const OFFSET_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** What the clock of all says when that of this process says so. */
export function monotonicMs(ownMs: number): number {
  return ownMs + OFFSET_MS;
}
