import { type Isolated, withIsolation } from '../../../test/integration/gateway/stress/isolation.js';
import { atLeast, atMost } from '../../overload/checks.js';
import { median, roundTo } from '../../overload/statistics.js';
import type { Report } from '../../report.js';
import type { GatewayOptions } from '../options.js';

/** How many times what it can serve the slow service is sent. */
const TIMES = 10;
/** Until code is compiled, and limits that adapt have adapted. */
const WARM_UP_SECONDS = 15;

/** What the slow service may have: as it is by default, and found out. */
const BOUNDS = { 'activeLimit: 100': undefined, 'concurrency: adaptive': ', concurrency: adaptive' };

/** A service that is slow and has ten times too much: what others feel of it, and what becomes of what is critical there. */
export async function measureIsolation({ runs, seconds }: GatewayOptions): Promise<Report> {
  const rounds = new Map<string, Isolated[]>();
  for (const [bound, slow] of Object.entries(BOUNDS)) {
    rounds.set(
      bound,
      await withIsolation(slow, async (round) => {
        await round({ seconds: WARM_UP_SECONDS, times: TIMES });
        const all: Isolated[] = [];
        for (let run = 0; run < runs; run++) all.push(await round({ seconds, times: TIMES }));
        return all;
      }),
    );
  }
  return {
    bench: 'gateway: a slow service that has ten times too much, and another one',
    rows: [...rounds].map(([bound, all]) => rowOf(bound, all)),
    checks: [...rounds].flatMap(([bound, all]) => [
      atMost(`${bound}: p99 of the other, times what it was`, times(all), 1.3),
      atLeast(`${bound}: of what is critical and fits, served`, served(all), 0.999),
    ]),
  };
}

function times(all: readonly Isolated[]): number {
  return median(all.map(({ before, during }) => during.p99Ms / before.p99Ms));
}

/** Of all rounds together: one in a thousand is less than one of a round. */
function served(all: readonly Isolated[]): number {
  const sum = (of: (round: Isolated) => number) => all.reduce((total, round) => total + of(round), 0);
  return sum(({ critical }) => critical.statuses['200'] ?? 0) / sum(({ critical }) => critical.sent);
}

function rowOf(bound: string, all: readonly Isolated[]): object {
  const of = (read: (round: Isolated) => number) => roundTo(median(all.map(read)), 2);
  return {
    bound,
    'other, before: p50 ms': of(({ before }) => before.p50Ms),
    'p99 ms': of(({ before }) => before.p99Ms),
    'during: p50': of(({ during }) => during.p50Ms),
    p99: of(({ during }) => during.p99Ms),
    'critical: p50': of(({ critical }) => critical.p50Ms),
    'critical: p99': of(({ critical }) => critical.p99Ms),
    'shed of the rest': of(({ sheddable }) => (sheddable.statuses['503'] ?? 0) / sheddable.sent),
    'lag of the load ms': of(({ lagMs }) => lagMs),
  };
}
