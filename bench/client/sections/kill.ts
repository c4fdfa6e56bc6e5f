import { setTimeout as wait } from 'node:timers/promises';
import { atLeast, atMost } from '../../overload/checks.js';
import type { Report } from '../../report.js';
import { machineMs } from '../callers/attempt-log.js';
import { Fleet, rowsOf, tellFailures } from '../fleet.js';
import type { ClientBenchOptions } from '../options.js';

const ROUNDS = 2;

/** So long clients use a new process before the next one is killed. */
const CALM_MS = 1_000;

export interface Killed {
  readonly url: string;
  readonly 'POSTs under way': number;
  readonly 'POSTs failed': number;
  readonly 'failed elsewhere': number;
  readonly 'back after ms': number;
}

/** Backends that vanish: what was there may be lost, if doing it twice could do harm; everything else is not. */
export async function measureKill({ rate }: ClientBenchOptions): Promise<Report[]> {
  return Fleet.during(rate, async (fleet) => {
    const kills: Killed[] = [];
    for (let round = 0; round < ROUNDS; round++)
      for (let index = 0; index < fleet.size; index++) kills.push(await kill(fleet, index));
    const found = await fleet.finish();
    tellFailures('kill', found);
    const sum = (name: 'POSTs under way' | 'POSTs failed' | 'failed elsewhere') =>
      kills.reduce((total, killed) => total + killed[name], 0);
    const failed = (method: 'GET' | 'POST') => found.reduce((total, each) => total + each.failed[method], 0);
    return [
      {
        bench: 'client: backends killed in turn, by SIGKILL',
        rows: rowsOf(found),
        checks: [
          atMost('failed GETs', failed('GET'), 0),
          atMost(
            'failed POSTs, of those under way at the killed backends',
            failed('POST'),
            sum('POSTs under way'),
          ),
          atMost('POSTs lost at backends that were not killed', sum('failed elsewhere'), 0),
          // With nothing under way, nothing was tried.
          atLeast('POSTs under way at the killed backends', sum('POSTs under way'), 1),
        ],
      },
      { bench: 'client: what each kill broke', rows: kills, checks: [] },
    ];
  });
}

/** Kills one, has another take its place, and says what that broke. */
export async function kill(fleet: Fleet, index: number): Promise<Killed> {
  const url = fleet.urlOf(index);
  await Promise.all(fleet.callers.map((caller) => caller.watchKill()));
  const killedMs = machineMs();
  let exitedMs = killedMs;
  const { tookMs } = await fleet.replace(index, 'SIGKILL', () => {
    exitedMs = machineMs();
  });
  await wait(CALM_MS);
  const seen = await Promise.all(
    fleet.callers.map((caller) => caller.afterKill({ url, killedMs, exitedMs })),
  );
  const sum = (name: 'underWay' | 'failed' | 'failedElsewhere') =>
    seen.reduce((total, each) => total + each[name], 0);
  return {
    url,
    'POSTs under way': sum('underWay'),
    'POSTs failed': sum('failed'),
    'failed elsewhere': sum('failedElsewhere'),
    'back after ms': Math.round(tookMs),
  };
}
