import { cpus, loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { stealPerProcessor } from '../overload/load/calm.js';

/** How far a machine was there for a bench alone. */
export interface Disturbance {
  /** Processes that ran or wanted to, in the minute before: the bench before this one counts. */
  readonly loadBefore?: number;
  /** Part of the processors that others used just before. */
  readonly busyBefore?: number;
  /** Part of the time of all processors that the host gave to others. Not known everywhere. */
  readonly stolenShare?: number;
}

const LOOK_MS = 2_000;

/** How much others use of the processors, now that we do nothing. */
export async function busyShare(): Promise<number> {
  const before = spentMs();
  await wait(LOOK_MS);
  const after = spentMs();
  return roundShare((after.busy - before.busy) / (after.all - before.all));
}

function spentMs(): { busy: number; all: number } {
  const times = cpus().map((cpu) => cpu.times);
  const sum = (of: (each: (typeof times)[number]) => number) =>
    times.reduce((total, each) => total + of(each), 0);
  const busy = sum(({ user, nice, sys, irq }) => user + nice + sys + irq);
  return { busy, all: busy + sum(({ idle }) => idle) };
}

/** Call it before; what it returns, after. */
export function watchDisturbance(): () => Disturbance {
  const loadBefore = Number(loadavg()[0]!.toFixed(2));
  const [startedMs, stolenMs] = [performance.now(), allStolenMs()];
  return () => {
    if (stolenMs === undefined) return { loadBefore };
    const tookMs = (performance.now() - startedMs) * cpus().length;
    return { loadBefore, stolenShare: roundShare((allStolenMs()! - stolenMs) / tookMs) };
  };
}

function allStolenMs(): number | undefined {
  const each = stealPerProcessor();
  return each.length === 0 ? undefined : each.reduce((sum, ms) => sum + ms, 0);
}

function roundShare(share: number): number {
  return Number(share.toFixed(4));
}
