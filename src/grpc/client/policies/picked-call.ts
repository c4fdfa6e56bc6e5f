import type { Metadata } from '@grpc/grpc-js';
import type { BackendPick, Environment, Picker } from '../../../core/index.js';
import type { AttemptProgress } from '../attempt-progress.js';
import { isLameDuck, outcomeOfStatus, reportIn } from '../status-outcome.js';
import type { Link } from './link.js';

/** Who hears of the end of a call. */
export interface CallWatcher {
  readonly picker: Picker;
  readonly environment: Environment;
  /** It has ended: there is room, and perhaps news of its backend. */
  onEnded(link: Link, isLame: boolean, now: number): void;
}

/**
 * One pick that was handed to grpc-js. That only tells of calls that it starts: one that is cancelled in the same moment, or
 * whose connection has just ended, it forgets. So a pick that is not started by the next turn of the event loop is given back,
 * and taken again should it be started after all (where credentials take their time).
 */
export class PickedCall {
  readonly #watcher: CallWatcher;
  readonly #link: Link;
  readonly #progress: AttemptProgress | undefined;
  #pick: BackendPick;
  #state: 'picked' | 'started' | 'given-back' | 'ended' = 'picked';

  constructor(watcher: CallWatcher, pick: BackendPick, link: Link, progress: AttemptProgress | undefined) {
    this.#watcher = watcher;
    this.#pick = pick;
    this.#link = link;
    this.#progress = progress;
  }

  onStarted(): void {
    if (this.#state === 'given-back') this.#pick = this.#watcher.picker.pickAgain(this.#pick.backend);
    this.#state = 'started';
    if (this.#progress !== undefined) this.#progress.isStarted = true;
  }

  giveBackUnlessStarted(): void {
    if (this.#state !== 'picked') return;
    this.#state = 'given-back';
    const now = this.#watcher.environment.monotonicMs();
    this.#pick.done('aborted', now);
    this.#watcher.onEnded(this.#link, false, now);
  }

  onEnded(code: number, details: string, metadata: Metadata): void {
    if (this.#state !== 'started') return;
    this.#state = 'ended';
    const { environment, picker } = this.#watcher;
    const now = environment.monotonicMs();
    const report = reportIn(metadata);
    // Whether it was made here or sent makes no difference below: both count against the backend alike, or not.
    this.#pick.done(outcomeOfStatus({ code, details, metadata }, true), now, report);
    // Every answer is as good as one to a probe.
    if (report !== undefined) picker.probing?.onAnswer(this.#pick.backend, report, now);
    this.#watcher.onEnded(this.#link, isLameDuck(metadata), now);
  }
}
