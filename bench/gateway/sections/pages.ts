import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { type ClientRequest, get, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { GatewayProcess } from '../../../test/integration/gateway/gateway-process.js';
import { atLeast, atMost } from '../../overload/checks.js';
import { chooseCores } from '../../overload/cores.js';
import { median, roundTo } from '../../overload/statistics.js';
import { cpuMsOf, startBackend } from '../../proxy/nginx.js';
import { needTools, outputOf, spawnOn } from '../../proxy/tools.js';
import type { Report } from '../../report.js';
import type { GatewayOptions } from '../options.js';

/** Nobody looks, somebody does, and everybody. */
const PAGES = [0, 1, 50];
const BACKENDS = 6;
const ROUTES = 20;
const CUSTOMERS = 200;
const CLIENTS = 32;
const WARM_UP_SECONDS = 5;

/** What one number of pages costs. */
interface Watched {
  /** Of a core, while nothing else is asked for. */
  readonly idleShare: number;
  readonly answersPerSecond: number;
  readonly kilobytesPerSecond: number;
}

/** What it costs a gateway that dashboards are open: processor time when it is idle, and answers when it is not. */
export async function measurePages({ runs, seconds }: GatewayOptions): Promise<Report> {
  needTools();
  const { server, load } = chooseCores();
  const backends = await Promise.all(Array.from({ length: BACKENDS }, () => startBackend(load)));
  const gateway = await GatewayProcess.start(settingsFor(backends.map(({ port }) => port)));
  try {
    const { pid } = gateway.child;
    if (server !== undefined) spawnSync('taskset', ['-a', '-p', '-c', String(server), String(pid)]);
    await visit(gateway);
    await answersOf(gateway, load, WARM_UP_SECONDS);
    const rounds = new Map<number, Watched[]>(PAGES.map((pages) => [pages, []]));
    for (let run = 0; run < runs; run++)
      for (const [pages, all] of rounds) all.push(await watch(gateway, pages, load, seconds));
    return reportOf(rounds);
  } finally {
    await gateway.stop();
    for (const backend of backends) await backend.stop();
  }
}

function settingsFor(ports: readonly number[]): string {
  const keys = Array.from(
    { length: CUSTOMERS },
    (_, i) => `    "sha256:${createHash('sha256').update(`key-${i}`).digest('hex')}": customer-${i}`,
  );
  const routes = Array.from(
    { length: ROUTES },
    (_, i) => `  - { name: route-${i}, path: "/r${i}/*", to: s, limits: [each] }`,
  );
  return `
listen: 127.0.0.1:0
admin: { address: "127.0.0.1:0" }
log: { level: off }
routes:
${routes.join('\n')}
limits: { each: { rate: 1000000/s, key: customer, algorithm: gcra } }
identity:
  apiKeys:
    keys:
${keys.map((key) => `  ${key}`).join('\n')}
services: { s: { backends: [${ports.map((port) => `"http://127.0.0.1:${port}"`).join(', ')}] } }
`;
}

/** Everybody once, everywhere: then all names are in the snapshot. */
async function visit({ port }: GatewayProcess): Promise<void> {
  for (let i = 0; i < CUSTOMERS; i++)
    await new Promise<void>((resolve, reject) => {
      const headers = { 'x-api-key': `key-${i}` };
      get({ host: '127.0.0.1', port, path: `/r${i % ROUTES}/`, headers }, (answer) => {
        answer.resume().on('end', resolve);
      }).on('error', reject);
    });
}

async function watch(
  gateway: GatewayProcess,
  pages: number,
  load: number | undefined,
  seconds: number,
): Promise<Watched> {
  let bytes = 0;
  const readers = Array.from({ length: pages }, () =>
    openPage(gateway, (length) => {
      bytes += length;
    }),
  );
  try {
    // Those that have just come are greeted, and what was measured before is let go of.
    await wait(1_500);
    bytes = 0;
    const begun = performance.now();
    const cpuMs = cpuMsOf(gateway.child.pid!);
    await wait(seconds * 1_000);
    const elapsed = performance.now() - begun;
    const idleShare = (cpuMsOf(gateway.child.pid!) - cpuMs) / elapsed;
    const kilobytesPerSecond = bytes / elapsed;
    return { idleShare, kilobytesPerSecond, answersPerSecond: await answersOf(gateway, load, seconds) };
  } finally {
    for (const reader of readers) reader.destroy();
  }
}

function openPage(gateway: GatewayProcess, onBytes: (length: number) => void): ClientRequest {
  const [, port] = /admin listens on http:\/\/\S+:(\d+)/.exec(gateway.stderr) ?? [];
  const asked = request(
    { host: '127.0.0.1', port: Number(port), path: '/events', agent: false },
    (answer) => {
      if (answer.statusCode !== 200) throw new Error(`a page was answered with ${answer.statusCode}`);
      answer.on('data', (chunk: Buffer) => onBytes(chunk.length)).on('error', () => {});
    },
  );
  asked.on('error', () => {}).end();
  return asked;
}

async function answersOf(
  { port }: GatewayProcess,
  core: number | undefined,
  seconds: number,
): Promise<number> {
  const args = ['-t1', `-c${CLIENTS}`, `-d${seconds}s`, '-H', 'x-api-key: key-7'];
  const text = await outputOf(spawnOn(core, 'wrk', [...args, `http://127.0.0.1:${port}/r7/`]));
  const [, requests] = /(\d+) requests in/.exec(text) ?? [];
  const [, perSecond] = /Requests\/sec:\s*([\d.]+)/.exec(text) ?? [];
  const [, refused = '0'] = /Non-2xx or 3xx responses: (\d+)/.exec(text) ?? [];
  if (requests === undefined || perSecond === undefined) throw new Error(`wrk says ${text}`);
  return Number(perSecond) * (1 - Number(refused) / Number(requests));
}

function reportOf(rounds: ReadonlyMap<number, readonly Watched[]>): Report {
  const of = (pages: number, read: (watched: Watched) => number) => median(rounds.get(pages)!.map(read));
  const idle = (pages: number) => of(pages, ({ idleShare }) => idleShare);
  const answers = (pages: number) => of(pages, ({ answersPerSecond }) => answersPerSecond);
  return {
    bench: `gateway: open dashboards (${BACKENDS} backends, ${ROUTES} routes, ${CUSTOMERS} customers)`,
    rows: PAGES.map((pages) => ({
      pages,
      'idle: % of a core': roundTo(idle(pages) * 100, 2),
      'kB/s to each': roundTo(
        of(pages, ({ kilobytesPerSecond }) => kilobytesPerSecond) / Math.max(1, pages),
        1,
      ),
      'answers/s': Math.round(answers(pages)),
      'of those without': roundTo(answers(pages) / answers(0), 3),
    })),
    checks: [
      atMost('one page: % of a core more than none', (idle(1) - idle(0)) * 100, 2),
      atLeast('50 pages: answers of those without', answers(50) / answers(0), 0.97),
    ],
  };
}
