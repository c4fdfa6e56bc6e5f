import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CpuNews } from './messages.js';
import { ownCpuMs } from './own-cpu.js';
import { REDIS_VARIABLE } from './redis-url.js';

/** What a process of the demo is: the first one has no such name, and starts the others. */
const ROLE = 'PLIMSOLL_DEMO_ROLE';

export type Role = 'backend' | 'load';

export function roleOf(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Role | undefined {
  const role = environment[ROLE];
  return role === 'backend' || role === 'load' ? role : undefined;
}

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));

/** The same program in another role. Nothing that it prints gets between what the demo itself prints. */
export function forkRole(role: Role): ChildProcess {
  return fork(MAIN, ['demo'], {
    // What the primary was told in confidence concerns nobody else.
    env: { ...process.env, [REDIS_VARIABLE]: undefined, [ROLE]: role },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** Resolves when a process is gone. */
export function exitOf(child: ChildProcess): Promise<void> {
  // One that could not be started has no end.
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null)
    return Promise.resolve();
  return new Promise((resolve) => child.once('exit', () => resolve()));
}

/** What processes that follow each other have used of processors, as they have told. */
export class CpuOfChildren {
  readonly #ms = new Map<ChildProcess, number>();

  follow(child: ChildProcess): void {
    child.on('message', (news) => {
      const { kind, ms } = news as Partial<CpuNews>;
      if (kind === 'cpu') this.#ms.set(child, ms!);
    });
  }

  get ms(): number {
    return [...this.#ms.values()].reduce((sum, ms) => sum + ms, 0);
  }
}

const TELL_CPU_MS = 500;

/** In a child: does what the primary says. It ends with the primary, however that ends: then their channel closes. */
export function answerPrimary<Order>(act: (order: Order) => void | Promise<void>): void {
  process.on('disconnect', () => process.exit(0));
  // While this program was loaded nobody listened: a primary that has ended since then is not announced again.
  if (!process.connected) process.exit(0);
  // Ctrl-C goes to all processes of a terminal: what becomes of this one is for the primary to say.
  process.on('SIGINT', () => {});
  process.on('message', (order) => void act(order as Order));
  setInterval(() => tellPrimary<CpuNews>({ kind: 'cpu', ms: ownCpuMs() }), TELL_CPU_MS);
}

export function tellPrimary<News>(news: News): void {
  // A channel that is closed is the end of this process, and nobody's mistake.
  if (process.connected) process.send!(news, () => {});
}
