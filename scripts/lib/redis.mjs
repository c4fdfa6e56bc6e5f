// A `redis-server` for tests and benches, from the system's packages when there is none. Nothing is started: tests do that.
import { installBy, runs } from './packages.mjs';

const PROGRAM = process.env.PLIMSOLL_REDIS_SERVER ?? 'redis-server';

const INSTALLERS = [
  ['apt-get', [['update'], ['install', '--yes', '--no-install-recommends', 'redis-server']]],
  ['dnf', [['install', '--assumeyes', 'redis']]],
  ['apk', [['add', 'redis']]],
  ['brew', [['install', 'redis']]],
];

/** 0 when there is one, else an exit code. */
export function ensureRedis() {
  if (runs(PROGRAM, '--version')) return 0;
  if (PROGRAM === 'redis-server') installBy(INSTALLERS, 'redis-server');
  if (runs(PROGRAM, '--version')) return 0;
  console.error(
    `plimsoll: ${PROGRAM} is missing. Install Redis 6.2 or newer, or Valkey, and name its program:`,
  );
  console.error('  PLIMSOLL_REDIS_SERVER=/path/to/valkey-server npm test');
  return 1;
}
