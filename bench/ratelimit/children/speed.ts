import { SeededRandom } from 'plimsoll/core';
import { createLimiter } from 'plimsoll/rate-limit';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { median } from '../../overload/statistics.js';

export interface SpeedOptions {
  readonly keys: number;
  readonly rounds: number;
  /** Strings made anew for each decision, as out of requests; otherwise the same objects come again. */
  readonly isFresh: boolean;
}

/** Decisions a second, the median of all rounds, and the median of what each round's ratio to the peer was. */
export interface Speed {
  readonly name: string;
  readonly perSecond: number;
  readonly ratio: number;
}

/** So many that nobody is refused: a peer's refusal is a rejected promise, which would be measured instead. */
const LIMIT = 1_000_000_000;
const ROUND_MS = 200;
/** Long enough that the clock is not what is measured, short enough that rounds end in time. */
const BATCH = 2_000;
/** Drawn so often, 0.03 % of the keys have not come: what is measured is not how they are added. */
const WARM_UPS_A_KEY = 8;
const LEAST_WARM_UPS = 200_000;

type Work = (keys: readonly string[]) => unknown;

/** The same limit in all of them: a fixed window of an hour, which is what the peer has. */
function contenders(): Record<string, Work> {
  const peer = new RateLimiterMemory({ points: LIMIT, duration: 3_600 });
  const options = { algorithm: 'fixed-window', limit: LIMIT, window: 'h' } as const;
  const [now, later] = [createLimiter(options), createLimiter(options)];
  const sliding = createLimiter({ ...options, algorithm: 'sliding-counter' });
  return {
    'rate-limiter-flexible, await consume': async (keys) => {
      for (const key of keys) await peer.consume(key);
    },
    'plimsoll, await take': async (keys) => {
      for (const key of keys) await later.take(key);
    },
    'plimsoll, takeNow': (keys) => {
      for (const key of keys) now.takeNow(key);
    },
    'plimsoll, takeNow, sliding-counter': (keys) => {
      for (const key of keys) sliding.takeNow(key);
    },
  };
}

/** One after the other in each round: what disturbs the machine for a while disturbs all of them. */
export async function compareSpeeds({ keys, rounds, isFresh }: SpeedOptions): Promise<Speed[]> {
  const textOf = (index: number) => `user:${1_000_000 + index}`;
  const texts = Array.from({ length: keys }, (_, index) => textOf(index));
  // By lot: in the order in which they first came, or any other that comes again, states lie one after the other in memory.
  const random = new SeededRandom(1);
  const draw = () =>
    Array.from({ length: BATCH }, () => {
      const index = random.below(keys);
      return isFresh ? textOf(index) : texts[index]!;
    });
  const works = Object.entries(contenders());
  // Nearly all keys are known to all, and all code is compiled.
  const warmUps = Math.max(WARM_UPS_A_KEY * keys, LEAST_WARM_UPS);
  for (const [, work] of works) {
    for (let done = 0; done < warmUps; done += BATCH) await work(draw());
  }
  const rates = works.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, [, work]] of works.entries()) rates[index]!.push(await rateOf(work, draw));
  }
  return works.map(([name], index) => ({
    name,
    perSecond: median(rates[index]!),
    ratio: median(rates[index]!.map((rate, round) => rate / rates[0]![round]!)),
  }));
}

async function rateOf(work: Work, draw: () => readonly string[]): Promise<number> {
  let busyMs = 0;
  let done = 0;
  while (busyMs < ROUND_MS) {
    // Apart from what is measured: a server has made the key out of the request just before, and not looked for it in a list.
    const keys = draw();
    const startedMs = performance.now();
    await work(keys);
    done += BATCH;
    // As a server does between requests: timers and what is due at the end of a turn have their time.
    await new Promise((resolve) => setImmediate(resolve));
    busyMs += performance.now() - startedMs;
  }
  return (done / busyMs) * 1_000;
}
