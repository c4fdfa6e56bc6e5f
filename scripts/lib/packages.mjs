// Programs that tests and benches need, from the system's packages when they are missing.
import { spawnSync } from 'node:child_process';
import { tryRun } from './project.mjs';

export const runs = (command, ...args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** `installers`: who knows packages, and what it is asked; the first that is there is used. */
export function installBy(installers, what) {
  const found = installers.find(([command]) => runs(command, '--version'));
  if (found === undefined) return;
  const [command, steps] = found;
  console.error(`plimsoll: installing ${what} with ${command} …`);
  // Whoever may install does so as it is, others by sudo if that asks nothing.
  const isRoot = process.getuid?.() === 0 || command === 'brew';
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of steps) {
    const [program, ...rest] = isRoot ? [command, ...args] : ['sudo', '--non-interactive', command, ...args];
    tryRun(program, rest, { env, stdio: ['ignore', 2, 2] });
  }
}
