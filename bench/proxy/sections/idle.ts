import { atLeast, atMost } from '../../overload/checks.js';
import { chooseCores } from '../../overload/cores.js';
import { LoadGenerator } from '../../overload/load-generator.js';
import { roundTo } from '../../overload/statistics.js';
import type { Report } from '../../report.js';
import { startBackend } from '../nginx.js';
import { NodeProxy, OURS } from '../proxies.js';

/** Opened and answered once before: what the process needs anyway is not counted. */
const FIRST = 200;
const CONNECTIONS = 10_000;

/** What connections cost on which nothing happens. */
export async function measureIdle(): Promise<Report> {
  const cores = chooseCores();
  const backend = await startBackend(cores.load);
  const proxy = await NodeProxy.start(cores.server, OURS, backend.port);
  const load = new LoadGenerator(cores);
  try {
    await load.open(proxy.port, FIRST);
    const before = await proxy.rssBytes();
    // Opens these before it lets the others go.
    await load.open(proxy.port, FIRST + CONNECTIONS);
    const held = await proxy.asked.ask<number>('connections');
    const bytes = (await proxy.rssBytes()) - before;
    const perConnection = bytes / CONNECTIONS;
    return {
      bench: 'proxy: idle connections',
      rows: [
        {
          connections: held,
          'RSS MB more': roundTo(bytes / 1e6, 1),
          'bytes each': Math.round(perConnection),
        },
      ],
      checks: [
        atLeast('idle connections held', held, CONNECTIONS),
        atMost('KB for each', perConnection / 1_024, 20),
      ],
    };
  } finally {
    await load.stop();
    await proxy.stop();
    await backend.stop();
  }
}
