import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** One core for the server and another for the load, so that neither takes time from the other. */
export interface Cores {
  readonly server: number | undefined;
  readonly load: number | undefined;
  /** What a reader of the figures should know. */
  readonly note: string;
}

/** The first and the last that this process may use: the farthest apart, hence never two threads of one core. */
export function chooseCores(): Cores {
  if (availableParallelism() < 2) {
    return { server: undefined, load: undefined, note: 'one core only: server and load disturb each other' };
  }
  if (spawnSync('taskset', ['--version']).error !== undefined) {
    return { server: undefined, load: undefined, note: 'not pinned: there is no taskset on this system' };
  }
  const allowed = allowedCores();
  const [server, load] = [allowed[0]!, allowed.at(-1)!];
  return { server, load, note: `server pinned to core ${server}, load to core ${load}` };
}

/**
 * This process, with all its threads, goes to the core of the load: the system would put it where there is the most time to
 * spare, which is beside the server. Until the function that it returns is called.
 */
export function leaveServerCore({ load }: Cores): () => void {
  if (load === undefined) return () => {};
  const before = allowedCores().join(',');
  moveSelf(String(load));
  return () => moveSelf(before);
}

/** A process that is there already, with all its threads. */
export function moveToServerCore({ server }: Cores, pid: number): void {
  if (server !== undefined) spawnSync('taskset', ['-a', '-p', '-c', String(server), String(pid)]);
}

function moveSelf(cores: string): void {
  spawnSync('taskset', ['-a', '-p', '-c', cores, String(process.pid)]);
}

function allowedCores(): number[] {
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))![1]!;
  return list.split(',').flatMap((range) => {
    const [from, to = from] = range.split('-').map(Number) as [number, number?];
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}

/** Where a process runs: on a core, or wherever the command before its own puts it. */
export type Place = number | readonly [command: string, ...args: string[]];

/** Starts a script of ours as a child process with a channel, at that place when one is given. */
export function forkOn(
  place: Place | undefined,
  script: URL,
  nodeArgs: readonly string[] = [],
): ChildProcess {
  const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const;
  if (place === undefined) return fork(script, { execArgv: [...nodeArgs], stdio: [...stdio] });
  const [execPath, ...before] = typeof place === 'number' ? ['taskset', '-c', String(place)] : place;
  return fork(script, { execPath, execArgv: [...before, process.execPath, ...nodeArgs], stdio: [...stdio] });
}
