import { atMost } from '../../overload/checks.js';
import { roundTo } from '../../overload/statistics.js';
import type { Report } from '../../report.js';
import { askChild } from '../child.js';
import type { Pause, PausesOptions } from '../children/pauses.js';

const KEYS = 2_000_000;
const RUNS = 3;
const MOST_MS = 10;

/** How long others wait at most while keys come by the million, and while they are forgotten. */
export async function measurePauses(): Promise<Report> {
  const runs: Pause[][] = [];
  for (let run = 1; run <= RUNS; run++) {
    console.error(`ratelimit: pauses, run ${run} of ${RUNS}`);
    const options: PausesOptions = { keys: KEYS };
    runs.push(await askChild<Pause[]>('pauses', options));
  }
  const rows = runs.flatMap((pauses, index) =>
    pauses.map(({ what, longestMs, longestRunMs, longestOwnMs, keys }) => ({
      run: index + 1,
      what,
      'longest turn ms': roundTo(longestMs, 2),
      'without waiting for a core': roundTo(longestRunMs, 2),
      'and without collecting garbage': roundTo(longestOwnMs, 2),
      'keys afterwards': keys,
    })),
  );
  // The best run: what a neighbour on the machine adds to one (garbage is collected by several threads, and each of them may
  // wait for a core) is never taken away from another.
  const best = (
    what: Pause['what'],
    column: 'without waiting for a core' | 'and without collecting garbage',
  ) => Math.min(...rows.filter((row) => row.what === what).map((row) => row[column]));
  const check = (name: string, what: Pause['what']) => [
    atMost(`longest turn while keys ${name}, ms`, best(what, 'without waiting for a core'), MOST_MS),
    atMost(
      `longest turn while keys ${name}, but for collecting garbage, ms`,
      best(what, 'and without collecting garbage'),
      MOST_MS,
    ),
  ];
  return {
    bench: `ratelimit: pauses, ${KEYS.toLocaleString('en')} keys`,
    rows,
    checks: [...check('come', 'growing'), ...check('are forgotten', 'reclaiming')],
  };
}
