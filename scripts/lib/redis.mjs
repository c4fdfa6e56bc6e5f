// A `redis-server` for tests and benches, from the system's packages when there is none. Nothing is started: tests do that.
import { spawnSync } from 'node:child_process';
import { tryRun } from './project.mjs';

const PROGRAM = process.env.PLIMSOLL_REDIS_SERVER ?? 'redis-server';

/** Who knows packages, and what it is asked; the first that is there is used. */
const INSTALLERS = [
  ['apt-get', [['update'], ['install', '--yes', '--no-install-recommends', 'redis-server']]],
  ['dnf', [['install', '--assumeyes', 'redis']]],
  ['apk', [['add', 'redis']]],
  ['brew', [['install', 'redis']]],
];

const runs = (command, ...args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** 0 when there is one, else an exit code. */
export function ensureRedis() {
  if (runs(PROGRAM, '--version')) return 0;
  const found = INSTALLERS.find(([command]) => runs(command, '--version'));
  if (found !== undefined && PROGRAM === 'redis-server') install(...found);
  if (runs(PROGRAM, '--version')) return 0;
  console.error(
    `plimsoll: ${PROGRAM} is missing. Install Redis 6.2 or newer, or Valkey, and name its program:`,
  );
  console.error('  PLIMSOLL_REDIS_SERVER=/path/to/valkey-server npm test');
  return 1;
}

function install(command, steps) {
  console.error(`plimsoll: installing redis-server with ${command} …`);
  // Whoever may install does so as it is, others by sudo if that asks nothing.
  const isRoot = process.getuid?.() === 0 || command === 'brew';
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of steps) {
    const [program, ...rest] = isRoot ? [command, ...args] : ['sudo', '--non-interactive', command, ...args];
    tryRun(program, rest, { env, stdio: ['ignore', 2, 2] });
  }
}
