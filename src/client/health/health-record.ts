import type { GateState } from '../../core/index.js';
import type { HealthSnapshot, HealthWay } from './health-actions.js';

/** What is known of one backend from its checks, and how many there were. */
export class HealthRecord {
  sent = 0;
  answered = 0;
  dropped = 0;
  /** What it last said of itself. */
  state: GateState | undefined = undefined;
  #lastHeardMs: number | undefined;

  onHeard(now: number): void {
    this.answered++;
    this.#lastHeardMs = now;
  }

  snapshot(via: HealthWay): HealthSnapshot {
    const { sent, answered, dropped } = this;
    const state = this.state === undefined ? {} : { state: this.state };
    const heard = this.#lastHeardMs === undefined ? {} : { lastHeardMs: this.#lastHeardMs };
    return { via, ...state, ...heard, sent, answered, dropped };
  }
}
