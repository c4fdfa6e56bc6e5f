import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Stall } from './stall.js';

/** Compiled code stands elsewhere: this is read where npm runs everything, from the project's root. */
const SCRIPT = 'bench/overload/watch/watch.pl';

/** Before everybody: whoever has to wait for its turn would see load, and call it a stall. */
const FIRST = ['--fifo', '50'];

/**
 * Says when cores stood still. On a shared host a virtual processor is taken away for milliseconds, several times a second, and
 * what happens to requests then says nothing about the server. Somebody who goes before all others on a core and wants to be
 * woken each millisecond is late by these times, however busy the server is; and, by less, by what the kernel does for the server
 * without a pause. It ends with whoever started it.
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
          const [fromMs, toMs] = line.split(' ').map(Number);
          if (toMs !== undefined) this.#stalls.push({ fromMs: fromMs!, toMs });
        }
      });
    }
  }

  /** Undefined where the system has no such means, or lets nobody go first. */
  static async start(cores: readonly number[]): Promise<CoreWatch | undefined> {
    const children = cores.map((core) =>
      spawn('chrt', [...FIRST, 'taskset', '-c', String(core), 'perl', SCRIPT], {
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    );
    const made = new CoreWatch(children);
    const areThere = await Promise.all(children.map(isThere));
    return areThere.every(Boolean) ? made : undefined;
  }

  /** Instants are those of `monotonicMs`. */
  async stallsSince(sinceMs: number): Promise<Stall[]> {
    // Whoever stands still now says so when that is over.
    await wait(5);
    const found = this.#stalls.filter(({ toMs }) => toMs >= sinceMs);
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
