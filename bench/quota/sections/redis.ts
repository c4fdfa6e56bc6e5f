import { RedisServer } from '../../../test/redis/redis-server.js';
import { atMost } from '../../overload/checks.js';
import { forkOn } from '../../overload/cores.js';
import { Asked } from '../../overload/questions.js';
import { median, roundTo } from '../../overload/statistics.js';
import type { Report } from '../../report.js';
import type { BackendCost, BackendOptions } from '../children/backend.js';

const CUSTOMERS = 1_000;
const ROUNDS = 3;
const ROUND_MS = 8_000;
/**
 * What runs four times a second is compiled after half a minute, and until then takes twice as long; processes live for days.
 * A later round has only its levels to wait for.
 */
const FIRST_WARM_MS = 30_000;
const WARM_MS = 8_000;

/**
 * The same with all that comes with a real Redis: a process with a thousand customers that reports to it and hears from
 * a coordinator in another process, less what it costs with limits of its own.
 */
export async function measureRedis(): Promise<Report> {
  const server = await RedisServer.start();
  const [backend, coordinator] = [startChild('a backend'), startChild('a coordinator')];
  try {
    await coordinator.ask('coordinate', server.url);
    const rounds: { alone: BackendCost; shared: BackendCost }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const warmMs = round === 0 ? FIRST_WARM_MS : WARM_MS;
      const options: BackendOptions = { url: undefined, customers: CUSTOMERS, warmMs, ms: ROUND_MS };
      const alone = await backend.ask<BackendCost>('serve', options);
      const shared = await backend.ask<BackendCost>('serve', { ...options, url: server.url });
      if (shared.stage !== 'fresh') throw new Error(`the backend was ${shared.stage}, and not fresh`);
      rounds.push({ alone, shared });
    }
    const alone = median(rounds.map((round) => round.alone.corePercent));
    const shared = median(rounds.map((round) => round.shared.corePercent));
    const reports = median(rounds.map((round) => round.shared.reportsPerSecond));
    return {
      bench: 'quota: a backend with Redis, 1,000 customers',
      rows: [
        { name: 'limits of its own', 'core %': roundTo(alone, 2), 'reports/s': 0 },
        { name: 'shared by Redis', 'core %': roundTo(shared, 2), 'reports/s': roundTo(reports, 1) },
      ],
      checks: [atMost('sharing: % of a core', shared - alone, 0.5)],
    };
  } finally {
    await Promise.all([backend.stop(), coordinator.stop()]);
    await server.stop();
  }
}

function startChild(name: string): Asked {
  return new Asked(forkOn(undefined, new URL('../children/main.js', import.meta.url), []), name);
}
