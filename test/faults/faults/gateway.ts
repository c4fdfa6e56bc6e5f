import { setTimeout as sleep } from 'node:timers/promises';
import { Program } from '../../integration/gateway/stress/program.js';
import type { Round } from '../../integration/gateway/stress/stress-bed.js';
import { type Streamed, StressBed } from '../../integration/gateway/stress/stress-bed.js';
import { WorkersBed } from '../../integration/gateway/workers/workers-bed.js';
import { atMost, type Fault, kept, none, shown } from '../fault.js';
import { until } from '../stage.js';

const PER_SECOND = 100;

/** What was answered otherwise than with 200, broke, or was never answered. */
const failedOf = ({ statuses, errors, sent, over }: Streamed): number => {
  const wrong = Object.entries(statuses).filter(([status]) => status !== '200');
  const counts = [...wrong, ...Object.entries(errors)].map(([, count]) => count);
  return counts.reduce((sum, count) => sum + count, sent - over);
};

const workerKilled: Fault = {
  name: 'gateway-worker-killed',
  what: `SIGKILL to one of two workers of a gateway, 2 times, under ${PER_SECOND} requests a second on connections that are kept`,
  withinSeconds: 60,
  run: async (stage) => {
    const bed = await stage.start(WorkersBed.start('routes: [{ to: "BACKEND" }]\n'));
    const [load] = await Program.start('load');
    stage.own(load, (program) => program.kill());
    const streams = [{ name: 'good', path: '/', perSecond: PER_SECOND }];
    const round = load.ask<Round>({ port: bed.gateway.port, streams, seconds: 10 });
    let longestMs = 0;
    for (let kill = 0; kill < 2; kill++) {
      await sleep(1_500);
      const pids = await bed.pids();
      process.kill(pids[kill]!, 'SIGKILL');
      const tookMs = await until('two workers again', async () => {
        const now = await bed.pids().catch((): number[] => []);
        return now.length === 2 && !now.includes(pids[kill]!);
      });
      longestMs = Math.max(longestMs, tookMs);
    }
    const { good } = (await round).streams as { good: Streamed };
    const after = await bed.askOften(50);
    return [
      // What was under way at the one that died, and what came to its sockets before they were seen to be closed.
      atMost(
        `failed, of ${good.sent}: what was under way at two that died, a tenth of a second each`,
        failedOf(good),
        2 * (PER_SECOND / 10),
      ),
      atMost('another one serves after', longestMs / 1_000, 5, 's'),
      kept('afterwards all of 50 are served', JSON.stringify(after), after['200'] === 50),
    ];
  },
};

const GARBAGE: readonly string[] = [
  '',
  '\u0000\u0001\u0002',
  'routes: [{ to: ',
  '- just\n- a\n- list\n',
  'listen: 127.0.0.1:0\nroutes: nonsense\n',
  'listen: 127.0.0.1:0\nservices: { a: { backends: ["not a url"] } }\nroutes: [{ to: a }]\n',
  'x'.repeat(200_000),
];

const fileBroken: Fault = {
  name: 'gateway-file-garbage',
  what: `the file of a gateway is replaced by garbage, ${GARBAGE.length} kinds of it, under ${PER_SECOND} requests a second; then by a good one`,
  withinSeconds: 60,
  run: async (stage) => {
    const settings = (urls: readonly string[], path: string) => `
listen: 127.0.0.1:0
log: { level: "off" }
overload: { mode: dry-run }
services: { a: { backends: [${urls.map((url) => `"${url}"`).join(', ')}], throttle: false } }
routes: [{ path: "${path}", to: a }]
`;
    const bed = await stage.start(StressBed.start([{}], (urls) => settings(urls, '/old')));
    const urls = bed.backends.map(({ url }) => url);
    const round = bed.round([{ name: 'good', path: '/old', perSecond: PER_SECOND }], 8);
    await sleep(1_000);
    for (const garbage of GARBAGE) {
      await bed.gateway.reload(garbage);
      await sleep(300);
    }
    const { good } = (await round).streams as { good: Streamed };
    const said = bed.gateway.stderr.split('holds on').length - 1;
    await bed.gateway.reload(settings(urls, '/new'));
    const status = async (path: string) => (await fetch(bed.gateway.url(path))).status;
    const [old, now] = [await status('/old'), await status('/new')];
    return [
      none('requests that failed', failedOf(good), good.sent),
      kept(
        'it says each time that the old settings hold on',
        `${said} of ${GARBAGE.length}`,
        said === GARBAGE.length,
      ),
      kept('a good file holds at once', `/old ${old}, /new ${now}`, old === 404 && now === 200),
      kept(
        'the process is the same',
        shown(bed.gateway.child.exitCode ?? 0),
        bed.gateway.child.exitCode === null,
      ),
    ];
  },
};

export const GATEWAY_FAULTS: readonly Fault[] = [workerKilled, fileBroken];
