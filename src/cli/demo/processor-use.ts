/** What the processors of a machine have done until some moment, in milliseconds. */
export interface ProcessorUse {
  readonly atMs: number;
  readonly processors: number;
  /** Of all processors together. */
  readonly idleMs: number;
  /** Of the processes of the demo. */
  readonly ownMs: number;
}

/** Less idleness than this, and what others take is missing. */
const FULL = 0.1;
/** More than this is more than a system does by itself. */
const FELT = 0.1;

/** How a machine's time was divided between two moments, as shares of it. */
export interface Division {
  /** Neither idle nor ours: other programs, or other machines on the same hardware. */
  readonly elsewhere: number;
  readonly idle: number;
  /** Whether others took what the demo would have used. */
  readonly isDisturbed: boolean;
}

export function divisionOf(before: ProcessorUse, after: ProcessorUse): Division {
  const totalMs = (after.atMs - before.atMs) * after.processors;
  if (totalMs <= 0) return { elsewhere: 0, idle: 0, isDisturbed: false };
  const idle = share((after.idleMs - before.idleMs) / totalMs);
  const own = share((after.ownMs - before.ownMs) / totalMs);
  const elsewhere = share(1 - idle - own);
  return { elsewhere, idle, isDisturbed: elsewhere > FELT && idle < FULL };
}

/** Clocks of processors are coarse: over a short time they say more than there is. */
function share(value: number): number {
  return Math.min(1, Math.max(0, value));
}
