import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadFound } from '../../../bench/client/callers/main.js';
import { Fleet, type Replaced, tellFailures } from '../../../bench/client/fleet.js';
import { kill } from '../../../bench/client/sections/kill.js';
import { atLeast, atMost, type Fault, type Finding, none } from '../fault.js';
import { BackendWatch, endsInTime, stateOf } from '../tools/backend-watch.js';

/** A second, of three clients together; half of them POSTs. Enough that something is under way wherever one is hit. */
const RATE = 90;
const KILLS = 4;
/** Of each request, where one falls silent: without it they would wait as long as their callers do. */
const TIMEOUT_MS = 2_000;

/** A machine that is busy with other things must not make backends refuse anything: that is not what is tried here. */
const UNGUARDED = { mode: 'dry-run' } as const;

const sumOf = (found: readonly LoadFound[], of: (each: LoadFound) => number): number =>
  found.reduce((sum, each) => sum + of(each), 0);

const failedOf = (found: readonly LoadFound[], method: 'GET' | 'POST'): number =>
  sumOf(found, ({ failed }) => failed[method]);

const requestsOf = (found: readonly LoadFound[]): number => sumOf(found, ({ requests }) => requests);

const killed: Fault = {
  name: 'backend-killed',
  what: `SIGKILL to ${KILLS} of 6 backends, one after the other, under ${RATE} requests a second of 3 clients`,
  withinSeconds: 120,
  run: () =>
    Fleet.during(
      RATE,
      async (fleet) => {
        let [underWay, elsewhere] = [0, 0];
        for (let index = 0; index < KILLS; index++) {
          const broken = await kill(fleet, index);
          underWay += broken['POSTs under way'];
          elsewhere += broken['failed elsewhere'];
        }
        const found = await fleet.finish();
        tellFailures('backend-killed', found);
        const requests = requestsOf(found);
        return [
          none('GETs that failed', failedOf(found, 'GET'), requests >> 1),
          atMost('POSTs that failed, of those under way at the killed', failedOf(found, 'POST'), underWay),
          none('POSTs that failed at backends that live', elsewhere, requests >> 1),
        ];
      },
      UNGUARDED,
    ),
};

const restarted: Fault = {
  name: 'backend-restarted',
  what: `SIGTERM to each of 6 backends in turn, another process takes its port, under ${RATE} requests a second`,
  withinSeconds: 120,
  run: () =>
    Fleet.during(
      RATE,
      async (fleet) => {
        const replaced: Replaced[] = [];
        for (let index = 0; index < fleet.size; index++) replaced.push(await fleet.replace(index, 'SIGTERM'));
        const found = await fleet.finish();
        tellFailures('backend-restarted', found);
        const unclean = replaced.filter(({ code }) => code !== 0).length;
        return [
          none('requests that failed', failedOf(found, 'GET') + failedOf(found, 'POST'), requestsOf(found)),
          none('exit codes other than 0', unclean, replaced.length),
        ];
      },
      UNGUARDED,
    ),
};

/** SIGSTOP: the kernel goes on accepting connections for it, so only the lack of answers tells. */
const stopped: Fault = {
  name: 'backend-stopped',
  what: `SIGSTOP to 1 of 6 backends for 10 s, SIGCONT then; ${RATE} requests a second, each with timeoutMs ${TIMEOUT_MS}`,
  withinSeconds: 120,
  run: (stage) =>
    Fleet.during(
      RATE,
      async (fleet): Promise<readonly Finding[]> => {
        const url = fleet.urlOf(0);
        fleet.pause(0);
        const watch = await stage.start(new BackendWatch(fleet.callers, url));
        await sleep(10_000);
        const sentForMs = await watch.sentForMs();
        const [failed, failedLater] = [watch.failed(), watch.failedFrom(5_000 + TIMEOUT_MS)];
        const states = await Promise.all(fleet.callers.map((caller) => stateOf(caller, url)));
        stage.say(`it was ${states.join(', ')} for its clients when it went on`);
        fleet.resume(0);
        const backMs = await watch.untilUsed(45_000);
        await watch.stop();
        const found = await fleet.finish();
        return [
          endsInTime(TIMEOUT_MS, found),
          atMost('requests were sent there for', sentForMs / 1_000, 5, 's'),
          none('failed later than 7 s after', failedLater, requestsOf(found)),
          atMost('failed: a sixth of 5 s, if it is found out that late', failed, (RATE * 5) / 6),
          atMost('used again, an ejection of 30 s included, after', backMs / 1_000, 35, 's'),
          atLeast('requests', requestsOf(found), RATE * 10),
        ];
      },
      { ...UNGUARDED, timeoutMs: TIMEOUT_MS },
    ),
};

export const BACKEND_FAULTS: readonly Fault[] = [killed, restarted, stopped];
