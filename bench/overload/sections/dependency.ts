import type { Report } from '../../report.js';
import { atLeast, atMost } from '../checks.js';
import { rowOf } from '../flood-table.js';
import type { Lab } from '../lab.js';
import { roundTo } from '../statistics.js';

/** 50 slots of 100 ms. */
const CAPACITY = 500;
const MULTIPLE = 4;

/** Half the time that clients wait. Alone it takes 100 ms. */
const P99_MS = 500;
/** Five times what the dependency takes at once. */
const MOST_RUNNING = 250;
const GROWTH_MB = 64;
const SHARE = 0.8;

/** Little CPU and much waiting: only a limit on what runs at once keeps the waiting short. */
export async function measureDependency(lab: Lab): Promise<Report> {
  const rows = [];
  for (const server of ['bare', 'plimsoll'] as const) {
    lab.say(`dependency, ${server}: ${MULTIPLE}×`);
    const flooded = await lab.flood(server, 'dependency', CAPACITY * MULTIPLE);
    const { mostRunning, mostRssBytes } = flooded.after;
    rows.push({
      ...rowOf(server, `${MULTIPLE}×`, [{ ...flooded, peak: CAPACITY }]),
      mostRunning,
      growthMb: roundTo((mostRssBytes - flooded.before.rssBytes) / 1e6, 1),
    });
  }
  const { share, p99Ms, mostRunning, growthMb } = rows.at(-1)!;
  return {
    bench: 'overload: waits for a dependency that does 500 a second',
    rows,
    checks: [
      atLeast('plimsoll: goodput of what the dependency can do', share, SHARE),
      atMost('plimsoll: p99 of answers, ms', p99Ms, P99_MS),
      atMost('plimsoll: most requests running at once', mostRunning, MOST_RUNNING),
      atMost('plimsoll: memory gained, MB', growthMb, GROWTH_MB),
    ],
  };
}
