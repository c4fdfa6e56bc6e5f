import { createHash } from 'node:crypto';
import { type ClientRequest, get, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { GatewayProcess } from '../../../test/integration/gateway/gateway-process.js';
import { cpuMsOf } from '../../../test/integration/gateway/stress/process-cpu.js';
import { atLeast, atMost } from '../../overload/checks.js';
import { chooseCores, moveToServerCore } from '../../overload/cores.js';
import { median, quantileOfSorted, roundTo } from '../../overload/statistics.js';
import { startBackend } from '../../proxy/nginx.js';
import { needTools, outputOf, spawnOn } from '../../proxy/tools.js';
import type { Report } from '../../report.js';
import type { GatewayOptions } from '../options.js';

/** Nobody looks, somebody does, and everybody. */
const PAGES = [0, 1, 50];
const BACKENDS = 6;
const ROUTES = 20;
const CUSTOMERS = 200;
const CLIENTS = 32;
/** Node still compiles after ten seconds of load, and the first page makes it compile two dozen functions of HTTP once more. */
const WARM_UP_SECONDS = 20;
/** A snapshot comes each second: two are in every turn. */
const TURN_SECONDS = 2;
/**
 * There and back: whoever becomes slower or faster meanwhile does so for all of them. One gateway with no page at all
 * differs by 2 to 10 % from turn to turn (standard deviation), so a bound of 3 % takes many turns.
 */
const PASS = [...PAGES, ...PAGES.toReversed()];
/** Of each round. */
const PASSES = 3;

/** What one number of pages costs while nothing else is asked for. */
interface Watched {
  /** Of a core. */
  readonly idleShare: number;
  readonly kilobytesPerSecond: number;
}

/** Answers a second, by the number of pages, in one pass. */
type Answers = ReadonlyMap<number, number>;

/** What it costs a gateway that dashboards are open: processor time when it is idle, and answers when it is not. */
export async function measurePages({ runs, seconds }: GatewayOptions): Promise<Report> {
  needTools();
  const cores = chooseCores();
  const { load } = cores;
  const backends = await Promise.all(Array.from({ length: BACKENDS }, () => startBackend(load)));
  const gateway = await GatewayProcess.start(settingsFor(backends.map(({ port }) => port)));
  try {
    moveToServerCore(cores, gateway.child.pid!);
    await visit(gateway);
    await withPages(gateway, 1, () => answersOf(gateway, load, WARM_UP_SECONDS));
    const idle = new Map<number, Watched[]>(PAGES.map((pages) => [pages, []]));
    const passes: Answers[] = [];
    for (let run = 0; run < runs; run++) {
      for (const [pages, all] of idle) all.push(await watch(gateway, pages, seconds));
      for (let pass = 0; pass < PASSES; pass++) passes.push(await loadOnce(gateway, load));
    }
    return reportOf(idle, passes);
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

async function watch(gateway: GatewayProcess, pages: number, seconds: number): Promise<Watched> {
  return await withPages(gateway, pages, async (bytesSoFar) => {
    // Those that have just come are greeted, and what was measured before is let go of.
    await wait(1_500);
    const bytes = bytesSoFar();
    const begun = performance.now();
    const cpuMs = cpuMsOf(gateway.child.pid!);
    await wait(seconds * 1_000);
    const elapsed = performance.now() - begun;
    return {
      idleShare: (cpuMsOf(gateway.child.pid!) - cpuMs) / elapsed,
      kilobytesPerSecond: (bytesSoFar() - bytes) / elapsed,
    };
  });
}

async function loadOnce(gateway: GatewayProcess, load: number | undefined): Promise<Answers> {
  const answers = new Map<number, number>();
  for (const pages of PASS) {
    const perSecond = await withPages(gateway, pages, async () => {
      await wait(300);
      return await answersOf(gateway, load, TURN_SECONDS);
    });
    // Each number of pages has two turns in a pass.
    answers.set(pages, (answers.get(pages) ?? 0) + perSecond / 2);
  }
  return answers;
}

/** Pages are open while that is done. */
async function withPages<T>(
  gateway: GatewayProcess,
  pages: number,
  work: (bytesSoFar: () => number) => Promise<T>,
): Promise<T> {
  let bytes = 0;
  const readers = Array.from({ length: pages }, () =>
    openPage(gateway, (length) => {
      bytes += length;
    }),
  );
  try {
    return await work(() => bytes);
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

function reportOf(idle: ReadonlyMap<number, readonly Watched[]>, passes: readonly Answers[]): Report {
  const idleShare = (pages: number) => median(idle.get(pages)!.map((watched) => watched.idleShare));
  const kilobytes = (pages: number) => median(idle.get(pages)!.map((watched) => watched.kilobytesPerSecond));
  // Of each pass, sorted: what a machine does in between is in both.
  const ratios = (pages: number) =>
    passes.map((answers) => answers.get(pages)! / answers.get(0)!).sort((a, b) => a - b);
  return {
    bench: `gateway: open dashboards (${BACKENDS} backends, ${ROUTES} routes, ${CUSTOMERS} customers)`,
    rows: PAGES.map((pages) => ({
      pages,
      'idle: % of a core': roundTo(idleShare(pages) * 100, 2),
      'kB/s to each': roundTo(kilobytes(pages) / Math.max(1, pages), 1),
      'answers/s': Math.round(median(passes.map((answers) => answers.get(pages)!))),
      'of those without': roundTo(median(ratios(pages)), 3),
      'a quarter below': roundTo(quantileOfSorted(ratios(pages), 0.25), 3),
      'a quarter above': roundTo(quantileOfSorted(ratios(pages), 0.75), 3),
    })),
    checks: [
      atMost('one page: % of a core more than none', (idleShare(1) - idleShare(0)) * 100, 2),
      atLeast('50 pages: answers of those without', median(ratios(50)), 0.97),
    ],
  };
}
