import type { GateState } from '../../core/index.js';
import type { HealthSnapshot, HealthWay } from './health-actions.js';

/** What is known of one backend from its checks, and how many there were. */
export class HealthRecord {
  sent = 0;
  answered = 0;
  dropped = 0;
  /** What it last said of itself. */
  state: GateState | undefined = undefined;
  /** Of its page, where that is what is asked for. */
  status: number | undefined = undefined;
  #lastHeardMs: number | undefined;

  onHeard(now: number): void {
    this.answered++;
    this.#lastHeardMs = now;
  }

  snapshot(via: HealthWay): HealthSnapshot {
    const { sent, answered, dropped } = this;
    const state = this.state === undefined ? {} : { state: this.state };
    const status = this.status === undefined ? {} : { status: this.status };
    const heard = this.#lastHeardMs === undefined ? {} : { lastHeardMs: this.#lastHeardMs };
    return { via, ...state, ...status, ...heard, sent, answered, dropped };
  }
}
