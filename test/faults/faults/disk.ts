import { setTimeout as sleep } from 'node:timers/promises';
import { RedisServer } from '../../redis/redis-server.js';
import { atMost, type Fault } from '../fault.js';
import { alwaysHolds, LimiterWatch, PER_SECOND, wasTried } from '../tools/limiter-watch.js';
import { TinyDisk } from '../tools/tiny-disk.js';

/** Redis answers `MISCONF` to whoever would write, and goes on reading. */
const full: Fault = {
  name: 'redis-disk-full',
  what: `the disk below the append-only file of Redis (everysec) is full for 4 s, under a limiter of ${PER_SECOND} decisions a second that refuses without it`,
  withinSeconds: 60,
  run: async (stage) => {
    const disk = await stage.start(TinyDisk.mount());
    const args = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--dir', disk.path];
    const server = await stage.start(RedisServer.start(args));
    const watch = await stage.start(LimiterWatch.start(server.url, 'refuse'));
    disk.fill();
    await sleep(4_000);
    disk.free();
    // Redis itself looks once a second whether it can write again; then it is tried each 0.2 to 2 s.
    const backMs = await watch.untilDecided(30_000);
    const found = await watch.finish();
    return [
      ...alwaysHolds('refuse', found),
      atMost('when there is room again, all decisions are its own after', backMs / 1_000, 5, 's'),
      wasTried(found),
    ];
  },
};

export const DISK_FAULTS: readonly Fault[] = [full];
