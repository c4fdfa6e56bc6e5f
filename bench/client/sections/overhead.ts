import { atLeast, atMost } from '../../overload/checks.js';
import { chooseCores } from '../../overload/cores.js';
import { roundTo } from '../../overload/statistics.js';
import type { Report } from '../../report.js';
import { Backend } from '../backend.js';
import { Caller } from '../caller.js';
import type { Compared } from '../callers/compare.js';

const CONNECTIONS = 20;
const ROUNDS = 20;

/** What a request costs more through a client than through the pool that it is built on. */
export async function measureOverhead(): Promise<Report> {
  const cores = chooseCores();
  const caller = new Caller(cores.load);
  let backend: Backend | undefined;
  try {
    backend = await Backend.start({ kind: 'plain' }, cores.server);
    const compared = await caller.compare({ url: backend.url, connections: CONNECTIONS, rounds: ROUNDS });
    return {
      bench: `client: requests through it and through a bare pool; ${cores.note}`,
      rows: [
        rowOf('undici Pool', compared.pool, compared.disturbed),
        rowOf('client', compared.client, compared.disturbed),
      ],
      checks: [
        atLeast('requests/s, client to Pool', compared.throughputRatio, 0.85),
        atMost('p99, client to Pool', compared.p99Ratio, 1.2),
      ],
    };
  } finally {
    await Promise.all([caller.stop(), backend?.stop()]);
  }
}

function rowOf(
  sender: string,
  { perSecond, p99Ms, cpuMicroseconds, stolenShare }: Compared['pool'],
  disturbed: number,
): object {
  return {
    sender,
    'requests/s': Math.round(perSecond),
    'p99 ms': roundTo(p99Ms, 2),
    'CPU µs': roundTo(cpuMicroseconds, 1),
    'stolen share': roundTo(stolenShare, 3),
    'disturbed rounds': disturbed,
  };
}
