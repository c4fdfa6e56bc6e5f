import { createLimiter } from 'plimsoll/rate-limit';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { median } from '../../overload/statistics.js';

export interface SpeedOptions {
  readonly keys: number;
  readonly rounds: number;
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
/** A stride that shares no factor with the number of keys, so that all of them come, in no order of memory. */
const STRIDE = 7_919;

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
export async function compareSpeeds({ keys, rounds }: SpeedOptions): Promise<Speed[]> {
  const texts = Array.from({ length: keys }, (_, i) => `user:${1_000_000 + i}`);
  let next = 0;
  const draw = () => Array.from({ length: BATCH }, () => texts[(next++ * STRIDE) % keys]!);
  const works = Object.entries(contenders());
  // All keys are known to all, and all code is compiled.
  for (const [, work] of works) {
    for (let done = 0; done < Math.max(keys, 200_000); done += BATCH) await work(draw());
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
