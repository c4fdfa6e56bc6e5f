import { setTimeout as sleep } from 'node:timers/promises';
import type { Place } from '../../../bench/overload/cores.js';
import type { Asked } from '../../../bench/overload/questions.js';
import { startChild } from '../../../bench/ratelimit/child.js';
import type { Decided, Failures, FailuresOptions } from '../../../bench/ratelimit/children/failures.js';
import { atMost, type Finding, kept, none } from '../fault.js';

/** As it is by default. */
export const TIMEOUT_MS = 50;
/** A timer comes when it comes, and so does the promise after it. */
const MARGIN_MS = 15;
export const PER_SECOND = 500;

const LOOK_EVERY_MS = 50;

/** A limiter under load in a process of its own, whose Redis is in trouble. */
export class LimiterWatch {
  readonly choice: 'allow' | 'refuse';
  readonly #child: Asked;

  private constructor(choice: 'allow' | 'refuse', child: Asked) {
    this.choice = choice;
    this.#child = child;
  }

  static async start(url: string, choice: 'allow' | 'refuse', place?: Place): Promise<LimiterWatch> {
    const child = startChild(place);
    const watch = new LimiterWatch(choice, child);
    const options: FailuresOptions = { url, perSecond: PER_SECOND, onStoreFailure: choice };
    await child.ask('startDeciding', options);
    // Code is compiled by then, and there is a connection.
    await sleep(1_000);
    return watch;
  }

  decided(): Promise<Decided> {
    return this.#child.ask('decided');
  }

  /** Until all decisions of some time are those of Redis again; how long that took. */
  async untilDecided(withinMs: number): Promise<number> {
    const beganMs = performance.now();
    for (let before = await this.decided(); ; ) {
      await sleep(4 * LOOK_EVERY_MS);
      const now = await this.decided();
      const atMs = performance.now() - beganMs;
      if (now.undecided === before.undecided && now.decisions > before.decisions) return atMs;
      if (atMs > withinMs) return Number.POSITIVE_INFINITY;
      before = now;
    }
  }

  finish(): Promise<Failures> {
    return this.#child.ask('stopDeciding');
  }

  stop(): Promise<void> {
    return this.#child.stop();
  }
}

/** What holds for a limiter whatever becomes of its Redis. */
export function alwaysHolds(choice: 'allow' | 'refuse', found: Failures): Finding[] {
  const { decisions, undecided, refused, slowestOwnMs, mishaps, pending } = found;
  // What is refused is refused for want of a store, and with `allow` nobody is.
  const wrong = choice === 'refuse' ? Math.abs(refused - undecided) : refused;
  return [
    atMost(
      `a decision takes timeoutMs (${TIMEOUT_MS} ms) and a margin of ${MARGIN_MS} ms, apart from what its process itself stood still`,
      slowestOwnMs,
      TIMEOUT_MS + MARGIN_MS,
      'ms',
    ),
    none(`decisions without Redis that were not to ${choice}`, wrong, decisions),
    atMost('errors that nobody caught, and calls left over', mishaps + pending, 0),
  ];
}

/** With nothing decided without Redis, nothing was tried. */
export function wasTried({ undecided, decisions }: Failures): Finding {
  return kept(
    'some decisions were made without Redis',
    `${undecided} of ${decisions}`,
    undecided > 0 && undecided < decisions,
  );
}
