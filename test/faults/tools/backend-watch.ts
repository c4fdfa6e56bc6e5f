import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../../../bench/client/caller.js';
import { machineMs } from '../../../bench/client/callers/attempt-log.js';
import type { LoopCounts } from '../../../bench/client/callers/paced-loop.js';
import { atMost, type Finding } from '../fault.js';

const LOOK_EVERY_MS = 100;

interface Look {
  readonly atMs: number;
  readonly sent: number;
  readonly answered: number;
  readonly failed: number;
}

/** How some clients fare while one backend is in trouble, from now on. */
export class BackendWatch {
  readonly #callers: readonly Caller[];
  readonly #url: string;
  readonly #beganMs = machineMs();
  readonly #looks: Look[] = [];
  #isOver = false;
  readonly #looking: Promise<void>;

  constructor(callers: readonly Caller[], url: string) {
    this.#callers = callers;
    this.#url = url;
    this.#looking = this.#lookOn();
    this.#looking.catch(() => {});
  }

  /** For how long it was still sent requests. */
  async sentForMs(): Promise<number> {
    const uses = await Promise.all(this.#callers.map((caller) => caller.useOf(this.#url)));
    return Math.max(0, Math.max(...uses.map(({ lastSentMs }) => lastSentMs)) - this.#beganMs);
  }

  /** Requests that failed, wherever they were sent, from so long after the beginning until now. */
  failedFrom(ms: number): number {
    const from = this.#looks.find(({ atMs }) => atMs >= this.#beganMs + ms);
    return from === undefined ? 0 : this.#looks.at(-1)!.failed - from.failed;
  }

  failed(): number {
    return this.#looks.at(-1)!.failed - this.#looks[0]!.failed;
  }

  /** Until it answers more than what it had when this was asked; how long that took. */
  async untilUsed(withinMs: number): Promise<number> {
    const before = this.#looks.at(-1)!;
    const beganMs = machineMs();
    // One at a time of each caller may have waited there.
    const enough = before.answered + 50;
    while (this.#looks.at(-1)!.answered < enough) {
      if (machineMs() > beganMs + withinMs) return Number.POSITIVE_INFINITY;
      await sleep(LOOK_EVERY_MS);
    }
    return machineMs() - beganMs;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#looking;
  }

  async #lookOn(): Promise<void> {
    while (!this.#isOver) {
      const uses = await Promise.all(this.#callers.map((caller) => caller.useOf(this.#url)));
      const counts = await Promise.all(this.#callers.map((caller) => caller.counts()));
      this.#looks.push({
        atMs: machineMs(),
        sent: uses.reduce((sum, { sent }) => sum + sent, 0),
        answered: uses.reduce((sum, { answered }) => sum + answered, 0),
        failed: counts.reduce((sum, { failed }) => sum + failed.GET + failed.POST, 0),
      });
      await sleep(LOOK_EVERY_MS);
    }
  }
}

/** A timer comes when it comes, and what it ends has still to be told. */
const MARGIN_MS = 100;

/** Requests end by their deadline, whatever becomes of them; what the process itself stood still comes on top. */
export function endsInTime(timeoutMs: number, counts: readonly LoopCounts[]): Finding {
  const slowestMs = Math.max(...counts.map((each) => each.slowestMs));
  return atMost(
    `every request ends after timeoutMs (${timeoutMs} ms) and a margin of ${MARGIN_MS} ms, apart from what its process itself stood still`,
    slowestMs,
    timeoutMs + MARGIN_MS,
    'ms',
  );
}

/** What a client process believes of a backend. */
export async function stateOf(caller: Caller, url: string): Promise<string> {
  const { backends } = await caller.snapshot();
  return backends.find((backend) => backend.url === url)?.state ?? 'not a member';
}
