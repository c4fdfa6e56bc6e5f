import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { RedisServer } from '../../../test/redis/redis-server.js';
import { atMost } from '../../overload/checks.js';
import { forkOn } from '../../overload/cores.js';
import { Asked } from '../../overload/questions.js';
import { median, roundTo } from '../../overload/statistics.js';
import type { Report } from '../../report.js';
import type { BackendCost, BackendOptions } from '../children/backend.js';

const OPTIONS: Omit<BackendOptions, 'url'> = {
  customers: 1_000,
  warmMs: 60_000,
  settleMs: 2_000,
  turnMs: 5_000,
  rounds: 9,
};

const CALM_MS = 6_000;

/**
 * The same with all that comes with a real Redis: a process with a thousand customers reports to it and hears from a
 * coordinator in another process, and stops doing so, in turn. What all turns of one kind took, less what those of the
 * other did, are reports and levels and nothing else. Processes that give way to all others keep the cores awake.
 */
export async function measureRedis(): Promise<Report> {
  const server = await RedisServer.start();
  const [backend, coordinator] = [startChild('a backend'), startChild('a coordinator')];
  const others = Array.from({ length: availableParallelism() }, () => startChild('somebody else'));
  try {
    for (const other of others) await other.ask('stayAwake');
    const options: BackendOptions = { ...OPTIONS, url: server.url };
    await coordinator.ask('coordinate', { url: server.url, isInAHurry: true });
    await backend.ask('warm', options);
    await coordinator.ask('coordinate', { url: server.url, isInAHurry: false });
    // Another one is elected, and the collector of garbage has noticed that there is less to do.
    await sleep(CALM_MS);
    const cost = await backend.ask<BackendCost>('serve', options);
    const differences = cost.sharing.map((percent, round) => percent - cost.silent[round]!);
    return {
      bench: 'quota: a backend with Redis, 1,000 customers',
      rows: [
        rowOf('no reports, no levels', cost.silent),
        { ...rowOf('both', cost.sharing), 'reports/s': roundTo(cost.reportsPerSecond, 1) },
        rowOf('turn by turn, the difference', differences),
      ],
      checks: [atMost('sharing: % of a core', median(differences), 0.5)],
    };
  } finally {
    await Promise.all([backend, coordinator, ...others].map((child) => child.stop()));
    await server.stop();
  }
}

function rowOf(name: string, percents: readonly number[]): object {
  const mean = percents.reduce((sum, percent) => sum + percent, 0) / percents.length;
  return {
    name,
    'core %, median': roundTo(median(percents), 2),
    mean: roundTo(mean, 2),
    least: roundTo(Math.min(...percents), 2),
    most: roundTo(Math.max(...percents), 2),
  };
}

function startChild(name: string): Asked {
  return new Asked(forkOn(undefined, new URL('../children/main.js', import.meta.url), []), name);
}
