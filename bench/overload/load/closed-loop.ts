import { quantileOfSorted } from '../statistics.js';
import { Calm } from './calm.js';
import type { Line, Lines } from './lines.js';

export interface SaturateOptions {
  /** How many are under way at any time. */
  readonly concurrency: number;
  readonly seconds: number;
}

export interface SaturateResult {
  /** Answers with 200, in calm. */
  readonly goodput: number;
  readonly perSecond: number;
  readonly answered: number;
  /** Clients whose connection was closed: they have given up. */
  readonly lost: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Part of the time. */
  readonly calmShare: number;
}

/** Each of some clients asks again as soon as it is answered: as much as a server can do, and never more. */
export function saturate<R>(
  pool: Lines<R>,
  { concurrency, seconds }: SaturateOptions,
  request: R,
): Promise<SaturateResult> {
  const sentMs = new Float64Array(concurrency);
  const latencies: number[] = [];
  const answeredMs: number[] = [];
  const goodMs: number[] = [];
  const calm = new Calm();
  let lost = 0;
  return new Promise((resolve) => {
    const startMs = performance.now();
    const endMs = startMs + seconds * 1_000;
    let underWay = concurrency;
    let doneMs = startMs;
    const finish = () => {
      const elapsedMs = Math.max(doneMs - startMs, 1);
      const calmMs = calm.calmMs(0, elapsedMs);
      const perSecond = (timesMs: number[]) => {
        const counted = calmMs === 0 ? timesMs : timesMs.filter((ms) => calm.isCalm(ms));
        return (counted.length / (calmMs || elapsedMs)) * 1_000;
      };
      const sorted = Float64Array.from(latencies).sort();
      resolve({
        goodput: perSecond(goodMs),
        perSecond: perSecond(answeredMs),
        answered: latencies.length + concurrency - lost,
        lost,
        p50Ms: quantileOfSorted(sorted, 0.5),
        p99Ms: quantileOfSorted(sorted, 0.99),
        calmShare: calmMs / elapsedMs,
      });
    };
    const onAnswer = (connection: Line<R>, status: number) => {
      const now = performance.now();
      if (now >= endMs) {
        pool.release(connection);
        if (--underWay === 0) finish();
        return;
      }
      const client = connection.arrival;
      calm.poll(now - startMs);
      answeredMs.push(now - startMs);
      if (status === 200) goodMs.push(now - startMs);
      latencies.push(now - sentMs[client]!);
      doneMs = now;
      sentMs[client] = now;
      // On the connection that has been idle for longest: as in a flood, where each request comes on another one.
      pool.release(connection);
      pool.take()!.send(request, client);
    };
    const onLost = (client: number) => {
      if (client < 0) return;
      lost++;
      if (--underWay === 0) finish();
    };
    pool.serve({ onAnswer, onLost });
    for (let client = 0; client < concurrency; client++) {
      const connection = pool.take();
      if (connection === undefined) throw new Error(`${concurrency} clients, but only ${client} connections`);
      sentMs[client] = performance.now();
      connection.send(request, client);
    }
  });
}
