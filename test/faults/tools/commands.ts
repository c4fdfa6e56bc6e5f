import { spawnSync } from 'node:child_process';
import { NotPossible } from '../fault.js';

/** Runs a command of the system; what it cannot do here, the fault cannot either. */
export function demand(command: string, ...args: readonly string[]): string {
  const { error, status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: 10_000 });
  if (error !== undefined) throw new NotPossible(`${command} cannot be run: ${error.message}`);
  if (status !== 0)
    throw new NotPossible(`${[command, ...args].join(' ')}: ${stderr.trim() || `exit code ${status}`}`);
  return stdout;
}

export function demandRoot(what: string): void {
  if (process.getuid?.() !== 0) throw new NotPossible(`${what} needs root`);
}
