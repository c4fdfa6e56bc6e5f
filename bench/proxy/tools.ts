import { type ChildProcess, spawn, spawnSync } from 'node:child_process';

const TOOLS = ['wrk', 'nginx'] as const;

/** Programs that this bench has to have; says how to get those that are missing. */
export function needTools(): void {
  // `wrk -v` ends with 1: what matters is that there is one.
  const missing = TOOLS.filter((tool) => spawnSync(tool, ['-v'], { stdio: 'ignore' }).error !== undefined);
  if (missing.length === 0) return;
  const names = missing.join(' and ');
  throw new Error(
    `The proxy bench compares with nginx and makes its load with wrk: ${names} missing.\n  apt-get install --yes --no-install-recommends ${missing.join(' ')}`,
  );
}

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Starts a program on a core. It ends with this process at the latest. */
export function spawnOn(core: number | undefined, command: string, args: readonly string[]): ChildProcess {
  const [program, rest] =
    core === undefined ? [command, args] : ['taskset', ['-c', String(core), command, ...args]];
  const child = spawn(program, [...rest], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  child.on('exit', () => children.delete(child));
  return child;
}

/** All that a program prints. */
export async function outputOf(child: ChildProcess): Promise<string> {
  let text = '';
  child.stdout?.on('data', (chunk) => {
    text += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    text += chunk;
  });
  await new Promise((resolve, reject) => {
    child.on('close', resolve);
    child.on('error', reject);
  });
  return text;
}
