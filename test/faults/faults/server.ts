import { setTimeout as sleep } from 'node:timers/promises';
import type { GuardSnapshot } from 'plimsoll/server';
import { chooseCores } from '../../../bench/overload/cores.js';
import { CLIENT_TIMEOUT_MS, connectionsFor } from '../../../bench/overload/lab.js';
import { LoadGenerator } from '../../../bench/overload/load-generator.js';
import { ServerProcess } from '../../../bench/overload/server-process.js';
import { atLeast, atMost, type Fault, kept, none, shown } from '../fault.js';
import { until } from '../stage.js';
import { AttackedServer } from '../tools/attacked-server.js';

const TIMES = 10;
/** Of what comes: less than the server can do, so that there is room for all of them. */
const CRITICAL_PLUS_SHARE = 0.05;

/** The bench `overload` has the bounds of a machine that has nothing else to do; these are those of a bad day. */
const overloaded: Fault = {
  name: 'overload',
  what: `${TIMES} times the load that a server of 2 ms of CPU a request gets done, for 6 s, 5 % of it CRITICAL_PLUS`,
  withinSeconds: 60,
  run: async (stage) => {
    const cores = chooseCores();
    const server = await stage.start(ServerProcess.start(cores, 'plimsoll', 'sync'));
    const generator = await stage.start(new LoadGenerator(cores));
    // 2 ms each: 500 a second is the most there can be.
    await generator.open(server.port, connectionsFor(TIMES * 500));
    await generator.saturate({ concurrency: 8, seconds: 2 });
    const { goodput: peak } = await generator.saturate({ concurrency: 8, seconds: 3 });
    const before = await server.usage();
    const { whole } = await generator.flood({
      perSecond: TIMES * peak,
      seconds: 6,
      spacing: 'poisson',
      mix: [{ criticality: 'CRITICAL_PLUS', share: CRITICAL_PLUS_SHARE }],
      seed: 1,
      timeoutMs: CLIENT_TIMEOUT_MS,
      warmUpMs: 1_000,
      tailMs: 250,
      maxLagMs: 5,
    });
    await sleep(1_000);
    const after = await server.usage();
    const { arrivals, good } = whole.byCriticality['CRITICAL_PLUS']!;
    const unanswered = whole.timedOut + whole.lost + whole.unsent;
    return [
      kept(
        'goodput, of what it gets done when clients wait for it: at least 70 %',
        `${shown((100 * whole.goodput) / peak)} % of ${shown(peak)} a second`,
        whole.goodput >= 0.7 * peak,
      ),
      atLeast('CRITICAL_PLUS requests that are served', (100 * good) / arrivals, 95, '%'),
      atMost('a good answer takes (p99)', whole.good.p99Ms, 250, 'ms'),
      atMost('answered neither way within 1 s', (100 * unanswered) / whole.arrivals, 1, '%'),
      atMost('memory grows by', (after.mostRssBytes - before.rssBytes) / 2 ** 20, 150, 'MB'),
      none('in flight when it is over', (after.snapshot as GuardSnapshot).inFlight, whole.arrivals),
    ];
  },
};

const BLOCKED_MS = 500;

const blocked: Fault = {
  name: 'event-loop-blocked',
  what: `a handler stands still for ${BLOCKED_MS} ms, once a second, 5 times, under 100 requests a second`,
  withinSeconds: 40,
  run: async (stage) => {
    const server = await stage.start(AttackedServer.start());
    await server.stream({ path: '/', perSecond: 100 }, 2);
    const { streams } = await server.streams(
      [
        { name: 'good', path: '/', perSecond: 100 },
        { name: 'blocking', path: `/block/${BLOCKED_MS}`, perSecond: 1 },
      ],
      5,
    );
    const { sent, over, statuses, errors } = streams['good']!;
    const backMs = await until('served as before', async () => {
      const { statuses: now, sent: asked } = await server.stream({ path: '/', perSecond: 50 }, 0.5);
      return now['200'] === asked;
    });
    const answered = (statuses['200'] ?? 0) + (statuses['503'] ?? 0);
    const broken = Object.values(errors).reduce((sum, count) => sum + count, 0);
    return [
      none('requests that are answered neither with 200 nor with 503', over - answered, sent),
      none('connections that break', broken, sent),
      none('requests without an end', sent - over, sent),
      atMost('all are served again after', backMs / 1_000, 15, 's'),
      atMost('in flight is 0 again after', (await server.untilIdle(20_000)) / 1_000, 5, 's'),
    ];
  },
};

/** Large: what V8 calls the limit has 48 MB of young objects in it, which are of no use to old ones. */
const HEAP_MB = 1_024;
/** SHEDDABLE goes from 84 % on, a part of CRITICAL from 90 %. */
const FILLED = 0.88;

const short: Fault = {
  name: 'memory-pressure',
  what: `a server with a heap of ${HEAP_MB} MB has filled 88 % of it for some seconds`,
  withinSeconds: 60,
  run: async (stage) => {
    const server = await stage.start(AttackedServer.start({}, [`--max-old-space-size=${HEAP_MB}`]));
    const ask = async (criticality: string) => {
      const { sent, statuses } = await server.stream({ path: '/', perSecond: 50, criticality }, 1);
      return (100 * (statuses['200'] ?? 0)) / sent;
    };
    const calm = await ask('SHEDDABLE');
    await server.fill(FILLED);
    const shedMs = await until('sheddable requests are refused', async () => (await ask('SHEDDABLE')) < 5);
    const critical = await ask('CRITICAL_PLUS');
    const { snapshot } = await server.usage();
    stage.say(snapshot.why);
    await server.release();
    const backMs = await until('all are served again', async () => (await ask('SHEDDABLE')) === 100);
    return [
      kept('SHEDDABLE requests are served before: all', `${shown(calm)} %`, calm === 100),
      atMost('they are refused after', shedMs / 1_000, 15, 's'),
      kept('CRITICAL_PLUS requests are served all the while: all', `${shown(critical)} %`, critical === 100),
      kept('it says why', snapshot.why, /heap|resident/.test(snapshot.why)),
      atMost(
        'when it is let go, and 150 MB more were allocated, all are served after',
        backMs / 1_000,
        20,
        's',
      ),
    ];
  },
};

export const SERVER_FAULTS: readonly Fault[] = [overloaded, blocked, short];
