import { GatewayProcess } from '../../../test/integration/gateway/gateway-process.js';
import { atMost } from '../../overload/checks.js';
import { chooseCores, moveToServerCore } from '../../overload/cores.js';
import { median, roundTo } from '../../overload/statistics.js';
import { startBackend } from '../../proxy/nginx.js';
import { needTools, outputOf, spawnOn } from '../../proxy/tools.js';
import type { Report } from '../../report.js';
import type { GatewayOptions } from '../options.js';

const CLIENTS = [32, 128];
const WARM_UP_SECONDS = 5;

interface Looped {
  readonly perSecond: number;
  readonly refusedShare: number;
}

/** Clients that ask again as soon as they are answered, of a trivial backend: as many as these are no overload. */
export async function measureClosedLoop({ runs, seconds }: GatewayOptions): Promise<Report> {
  needTools();
  const cores = chooseCores();
  const { load } = cores;
  const backend = await startBackend(load);
  const gateway = await GatewayProcess.start(`
listen: 127.0.0.1:0
log: { level: off }
routes: [{ to: "http://127.0.0.1:${backend.port}" }]
`);
  try {
    moveToServerCore(cores, gateway.child.pid!);
    await loop(load, gateway.port, CLIENTS[0]!, WARM_UP_SECONDS);
    const rounds = new Map<number, Looped[]>(CLIENTS.map((clients) => [clients, []]));
    for (let run = 0; run < runs; run++)
      for (const [clients, all] of rounds) all.push(await loop(load, gateway.port, clients, seconds));
    return reportOf(rounds);
  } finally {
    await gateway.stop();
    await backend.stop();
  }
}

async function loop(
  core: number | undefined,
  port: number,
  clients: number,
  seconds: number,
): Promise<Looped> {
  const args = ['-t1', `-c${clients}`, `-d${seconds}s`, `http://127.0.0.1:${port}/`];
  const text = await outputOf(spawnOn(core, 'wrk', args));
  const [, requests] = /(\d+) requests in/.exec(text) ?? [];
  const [, perSecond] = /Requests\/sec:\s*([\d.]+)/.exec(text) ?? [];
  const [, refused = '0'] = /Non-2xx or 3xx responses: (\d+)/.exec(text) ?? [];
  if (requests === undefined || perSecond === undefined) throw new Error(`wrk says ${text}`);
  return { perSecond: Number(perSecond), refusedShare: Number(refused) / Number(requests) };
}

function reportOf(rounds: ReadonlyMap<number, readonly Looped[]>): Report {
  const refused = (all: readonly Looped[]) => median(all.map(({ refusedShare }) => refusedShare));
  return {
    bench: 'gateway: clients that ask again at once',
    rows: [...rounds].map(([clients, all]) => ({
      clients,
      'answers/s': Math.round(median(all.map(({ perSecond }) => perSecond))),
      'refused %': roundTo(refused(all) * 100, 3),
      'worst %': roundTo(Math.max(...all.map(({ refusedShare }) => refusedShare)) * 100, 3),
    })),
    checks: [...rounds].map(([clients, all]) =>
      atMost(`${clients} clients: % refused`, refused(all) * 100, 0.1),
    ),
  };
}
