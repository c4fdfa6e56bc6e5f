import { atLeast, atMost } from '../../overload/checks.js';
import { quantileOfSorted } from '../../overload/statistics.js';
import type { Report } from '../../report.js';
import { Fleet, type Replaced, rowsOf, tellFailures } from '../fleet.js';
import type { ClientBenchOptions } from '../options.js';

/** Each backend at least so often. */
const ROUNDS = 2;

/** A rolling restart, again and again: nobody who asks should notice. */
export async function measureRestart({ requests, rate }: ClientBenchOptions): Promise<Report[]> {
  return Fleet.during(rate, async (fleet) => {
    const restarts: Replaced[] = [];
    for (let round = 0; round < ROUNDS || (await fleet.requests()) < requests; round++)
      for (let index = 0; index < fleet.size; index++) restarts.push(await fleet.replace(index, 'SIGTERM'));
    const found = await fleet.finish();
    tellFailures('restart', found);
    const sum = (of: (each: (typeof found)[number]) => number) =>
      found.reduce((total, each) => total + of(each), 0);
    return [
      {
        bench: 'client: backends restarted in turn, by SIGTERM',
        rows: rowsOf(found),
        checks: [
          atMost(
            'failed requests',
            sum(({ failed }) => failed.GET + failed.POST),
            0,
          ),
          atLeast(
            'requests',
            sum((each) => each.requests),
            requests,
          ),
          atMost('restarts that did not end with exit code 0', restarts.filter(isUnclean).length, 0),
          atLeast('restarts of each backend', restarts.length / fleet.size, ROUNDS),
        ],
      },
      { bench: 'client: how long a restart took', rows: [timesOf(restarts)], checks: [] },
    ];
  });
}

function isUnclean({ code }: Replaced): boolean {
  return code !== 0;
}

function timesOf(restarts: readonly Replaced[]): object {
  const sorted = restarts.map(({ tookMs }) => Math.round(tookMs)).sort((a, b) => a - b);
  return {
    restarts: sorted.length,
    'shortest ms': sorted[0],
    'p50 ms': quantileOfSorted(sorted, 0.5),
    'longest ms': sorted.at(-1),
  };
}
