import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { housekeepers } from './housekeepers.js';
import type { Stall } from './stall.js';

/** Compiled code stands elsewhere: this is read where npm runs everything, from the project's root. */
const SCRIPT = 'bench/overload/watch/watch.pl';

/** Before everybody: whoever has to wait for its turn would see load, and call it a stall. */
const FIRST = ['--fifo', '50'];

/**
 * Says when cores stood still. On a shared host a virtual processor is taken away for milliseconds, several times a second, and
 * what happens to requests then says nothing about the server. Somebody who goes before all others on a core and wants to be
 * woken each millisecond is late by these times, however busy the server is; and, by less, by what the kernel does for the server
 * without a pause. Threads of the kernel that keep house take a core too, and are asked how long they ran. It ends with whoever
 * started it.
 */
export class CoreWatch {
  readonly #stalls: Stall[] = [];

  private constructor(children: readonly ChildProcess[]) {
    for (const child of children) {
      let rest = '';
      child.stdout!.on('data', (chunk: Buffer) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop()!;
        for (const line of lines) {
          const [untilMs, lostMs] = line.split(' ').map(Number);
          if (lostMs !== undefined) this.#stalls.push({ untilMs: untilMs!, lostMs });
        }
      });
    }
  }

  /** Undefined where the system has no such means, or lets nobody go first. */
  static async start(cores: readonly number[]): Promise<CoreWatch | undefined> {
    const children = cores.map((core, index) =>
      spawn(
        'chrt',
        // They may run on any core, and one is enough to ask.
        [...FIRST, 'taskset', '-c', String(core), 'perl', SCRIPT, ...(index === 0 ? housekeepers() : [])],
        { stdio: ['ignore', 'pipe', 'ignore'] },
      ),
    );
    const made = new CoreWatch(children);
    const areThere = await Promise.all(children.map(isThere));
    return areThere.every(Boolean) ? made : undefined;
  }

  /** Instants are those of `monotonicMs`. */
  async stallsSince(sinceMs: number): Promise<Stall[]> {
    // Whoever stands still now says so when that is over.
    await wait(5);
    const found = this.#stalls.filter(({ untilMs }) => untilMs >= sinceMs);
    this.#stalls.length = 0;
    this.#stalls.push(...found);
    return found;
  }
}

async function isThere(child: ChildProcess): Promise<boolean> {
  const says = once(child.stdout!, 'data').then(() => true);
  const ends = once(child, 'exit').then(() => false);
  return await Promise.race([says, ends]).catch(() => false);
}
