import { setTimeout as sleep } from 'node:timers/promises';
import { Backend } from '../../../bench/client/backend.js';
import { Caller } from '../../../bench/client/caller.js';
import { RedisServer } from '../../redis/redis-server.js';
import { atMost, type Fault, kept, none, shown } from '../fault.js';
import { BackendWatch, endsInTime, stateOf } from '../tools/backend-watch.js';
import { alwaysHolds, LimiterWatch, PER_SECOND, wasTried } from '../tools/limiter-watch.js';
import { Network } from '../tools/network.js';

const BACKENDS = 3;
const RATE = 60;
const TIMEOUT_MS = 2_000;
const CUT_SECONDS = 12;

const fromBackend: Fault = {
  name: 'partition-backend',
  what: `packets between a client and 1 of ${BACKENDS} backends vanish for ${CUT_SECONDS} s (network namespaces, DROP both ways), under ${RATE} requests a second with timeoutMs ${TIMEOUT_MS}`,
  withinSeconds: 100,
  run: async (stage) => {
    const network = await stage.start(Network.make(BACKENDS));
    const backends: Backend[] = [];
    for (let at = 0; at < BACKENDS; at++) {
      const options = { kind: 'echo', port: 8_080, host: network.farAddress(at), mode: 'dry-run' } as const;
      backends.push(await stage.start(Backend.start(options, network.far.place)));
    }
    const caller = await stage.start(new Caller(network.near.place));
    const [cutOff, ...others] = backends.map(({ url }) => url) as [string, ...string[]];
    await caller.begin({ urls: [cutOff, ...others], rate: RATE, callers: RATE, timeoutMs: TIMEOUT_MS });
    await sleep(4_000);
    const before = await caller.snapshot();
    const via = before.backends.map(({ health }) => (health as { via?: string } | undefined)?.via);
    network.cut();
    const watch = await stage.start(new BackendWatch([caller], cutOff));
    await sleep(CUT_SECONDS * 1_000);
    const state = await stateOf(caller, cutOff);
    const [sentForMs, failed, failedLater] = [
      await watch.sentForMs(),
      watch.failed(),
      watch.failedFrom(5_000 + TIMEOUT_MS),
    ];
    network.heal();
    const backMs = await watch.untilUsed(50_000);
    await watch.stop();
    const found = await caller.finish();
    const { requests, failures } = found;
    for (const failure of new Set(failures)) stage.say(failure);
    return [
      kept(
        'health is heard by UDP',
        via.join(', '),
        via.every((way) => way === 'udp'),
      ),
      endsInTime(TIMEOUT_MS, [found]),
      atMost('requests were sent there for', sentForMs / 1_000, 5, 's'),
      atMost('failed: a third of 5 s, if it is found out that late', failed, (RATE * 5) / BACKENDS),
      none('failed later than 7 s after', failedLater, requests),
      kept('its state then: not ready', state, state !== 'ready'),
      atMost(
        'when packets pass again, it is used after (an ejection lasts for 30 s)',
        backMs / 1_000,
        40,
        's',
      ),
    ];
  },
};

const fromRedis: Fault = {
  name: 'partition-redis',
  what: `packets between a limiter of ${PER_SECOND} decisions a second, that refuses without it, and Redis vanish for 4 s (network namespaces, DROP both ways)`,
  withinSeconds: 60,
  run: async (stage) => {
    const network = await stage.start(Network.make(1));
    const place = { host: network.farAddress(), before: network.far.place };
    const server = await stage.start(RedisServer.start([], 6_379, place));
    const watch = await stage.start(LimiterWatch.start(server.url, 'refuse', network.near.place));
    const start = await watch.decided();
    network.cut();
    await sleep(4_000);
    const cut = await watch.decided();
    network.heal();
    const backMs = await watch.untilDecided(30_000);
    const found = await watch.finish();
    const lateMs = ((cut.storeLate - start.storeLate) * 1_000) / PER_SECOND;
    return [
      ...alwaysHolds('refuse', found),
      kept(
        'decisions wait for it for 100 ms, then it is not asked: at most 250 ms of them are late',
        `${cut.storeLate - start.storeLate} late, ${shown(lateMs, 'ms')} of them`,
        lateMs <= 250,
      ),
      // A second until the connection is given up, then SYNs after 1, 3 s …; and 50 ms to 1 s at random.
      atMost('when packets pass again, all decisions are its own after', backMs / 1_000, 5, 's'),
      wasTried(found),
    ];
  },
};

export const PARTITION_FAULTS: readonly Fault[] = [fromBackend, fromRedis];
