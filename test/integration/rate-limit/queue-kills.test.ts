import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectNoMishaps } from '../server/mishaps.js';
import { aRedis, endAfterEach, own, until } from './queue-bed.js';
import { QueueProcess } from './queue-process.js';

expectNoMishaps();
endAfterEach();

const KILLS = 20;
const DRIVERS = 4;

/** How often each id was started, or performed. */
function countIn(file: string, what: 'started' | 'performed'): Map<string, number> {
  const times = new Map<string, number>();
  if (!existsSync(file)) return times;
  // The last line may be half written.
  for (const line of readFileSync(file, 'utf8').split('\n').slice(0, -1)) {
    const [done, id] = line.split(' ') as [string, string];
    if (done === what) times.set(id, (times.get(id) ?? 0) + 1);
  }
  return times;
}

const repeated = (times: Map<string, number>): number =>
  [...times.values()].filter((count) => count > 1).length;

const lostOf = (kept: readonly string[], file: string): string[] => {
  const times = countIn(file, 'performed');
  return kept.filter((id) => !times.has(id));
};

function aFile(): string {
  const folder = own(mkdtempSync(join(tmpdir(), 'plimsoll-queue-')), (path) =>
    rmSync(path, { recursive: true, force: true }),
  );
  return join(folder, 'performed');
}

/** Posts as long as it is let, and notes the ids of all that got a 202. */
async function drive(target: () => string | undefined, kept: string[], isOver: () => boolean): Promise<void> {
  for (let i = 0; !isOver(); i++) {
    try {
      const url = target();
      if (url === undefined) throw new Error('nobody there');
      const answer = await fetch(`${url}/do`, { method: 'POST', body: `${i}` });
      const { id } = (await answer.json()) as { id: string };
      if (answer.status === 202) kept.push(id);
    } catch {
      // Killed before it had answered: nothing was promised.
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('requests that got a 202', () => {
  it(`are all performed, though their process is killed ${KILLS} times`, async () => {
    const options = { url: (await aRedis()).url, file: aFile(), takeOverMs: 2_000 };
    let current: QueueProcess | undefined = await QueueProcess.start(options);
    own(undefined, () => current?.kill());
    const kept: string[] = [];
    let isOver = false;
    const drivers = Array.from({ length: DRIVERS }, () =>
      drive(
        () => current?.url,
        kept,
        () => isOver,
      ),
    );
    for (let kill = 0; kill < KILLS; kill++) {
      // Somewhere in the middle of things: some wait, some are under way.
      const goal = kept.length + 20 + Math.floor(Math.random() * 40);
      await until('more requests', () => kept.length >= goal);
      const killed: QueueProcess = current!;
      current = undefined;
      await killed.kill();
      current = await QueueProcess.start(options);
    }
    isOver = true;
    await Promise.all(drivers);
    const lost = (): string[] => lostOf(kept, options.file);
    const lastMs = performance.now();
    await until('all of them', () => lost().length === 0).catch(() => {});
    const restMs = Math.round(performance.now() - lastMs);
    const cutOff = repeated(countIn(options.file, 'started'));
    const twice = repeated(countIn(options.file, 'performed'));
    // biome-ignore lint/suspicious/noConsole: the figures that this is about.
    console.log(
      `${kept.length} requests got a 202, over ${KILLS} kills: ${lost().length} lost, ` +
        `${cutOff} cut off and started again, ${twice} performed twice, the last ${restMs} ms after the last 202`,
    );
    expect(lost()).toEqual([]);
    expect(kept.length).toBeGreaterThan(KILLS * 20);
    // Else it was killed when it had nothing to do.
    expect(cutOff).toBeGreaterThan(0);
  }, 100_000);

  it('are performed by another process when theirs stands still, and it goes on when it wakes up', async () => {
    const options = { url: (await aRedis()).url, file: aFile(), takeOverMs: 1_000 };
    const sleeper = own(await QueueProcess.start(options), (made) => made.kill());
    const kept: string[] = [];
    let isOver = false;
    const driver = drive(
      () => sleeper.url,
      kept,
      () => isOver,
    );
    await until('some requests', () => kept.length >= 50);
    sleeper.pause();
    const asleep = [...kept];
    own(await QueueProcess.start(options), (made) => made.kill());
    await until('all that it had', () => lostOf(asleep, options.file).length === 0);
    sleeper.resume();
    await until('more requests', () => kept.length >= asleep.length + 50);
    isOver = true;
    await driver;
    await until('all of them', () => lostOf(kept, options.file).length === 0);
  });
});
