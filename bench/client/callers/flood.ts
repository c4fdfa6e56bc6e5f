import { setTimeout as wait } from 'node:timers/promises';
import { scheduleArrivals } from '../../overload/load/arrivals.js';
import { quantileOfSorted } from '../../overload/statistics.js';
import { balancer, type SenderName } from './senders.js';

export interface FloodOptions {
  readonly sender: SenderName;
  readonly urls: readonly string[];
  readonly perSecond: number;
  /** In which clients learn; told apart. */
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly timeoutMs: number;
  readonly seed: number;
}

export interface FloodFound {
  readonly sent: number;
  /** Answered in time, a second. */
  readonly goodput: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Requests that come when they come, whoever has been answered. */
export async function flood(options: FloodOptions, onWarm: () => void): Promise<FloodFound> {
  const { perSecond, warmUpSeconds, seconds, timeoutMs, seed } = options;
  const sender = balancer(options.sender, options.urls);
  const whole = warmUpSeconds + seconds;
  const { atMs } = scheduleArrivals({ perSecond, seconds: whole, spacing: 'poisson', mix: [], seed });
  const latencies: number[] = [];
  let failed = 0;
  const one = async (dueMs: number, isMeasured: boolean) => {
    const isGood = await isAnswered(sender.send(AbortSignal.timeout(timeoutMs)));
    if (!isMeasured) return;
    if (!isGood) failed++;
    // Who got no answer has waited for it all the same.
    latencies.push(isGood ? performance.now() - dueMs : timeoutMs);
  };
  const open: Promise<void>[] = [];
  let isWarm = false;
  const startMs = performance.now();
  for (const at of atMs) {
    const dueMs = startMs + at;
    const leftMs = dueMs - performance.now();
    if (leftMs > 0) await wait(leftMs);
    if (!isWarm && at >= warmUpSeconds * 1_000) {
      isWarm = true;
      onWarm();
    }
    open.push(one(dueMs, isWarm));
  }
  await Promise.all(open);
  await sender.stop();
  latencies.sort((a, b) => a - b);
  return {
    sent: latencies.length,
    goodput: (latencies.length - failed) / seconds,
    failed,
    p50Ms: quantileOfSorted(latencies, 0.5),
    p99Ms: quantileOfSorted(latencies, 0.99),
  };
}

async function isAnswered(answer: ReturnType<ReturnType<typeof balancer>['send']>): Promise<boolean> {
  try {
    const { statusCode, body } = await answer;
    await body.dump();
    return statusCode === 200;
  } catch {
    return false;
  }
}
