import type { Criticality } from '../criticality.js';
import type { WindowOptions } from '../measuring/slot-clock.js';
import { ThrottleWindow } from './throttle-window.js';

/**
 * What one client remembers of one service × customer × criticality. All but the three keys is the throttle's own.
 * Whoever holds it may settle on it at any time, also when the table has dropped it meanwhile.
 */
export class ThrottleStats {
  readonly service: string;
  readonly customer: string;
  readonly criticality: Criticality;
  readonly window: ThrottleWindow;
  /** Accepts since the last reject, or since they last raised `easing` … */
  streak = 0;
  /** … and when the first of them came. */
  streakSinceMs = 0;
  /** What K is multiplied with: 1, and twice as much for each streak. */
  easing = 1;
  /** Neighbours in the order of use. */
  newer: ThrottleStats = this;
  older: ThrottleStats = this;

  constructor(service: string, customer: string, criticality: Criticality, options: WindowOptions) {
    this.service = service;
    this.customer = customer;
    this.criticality = criticality;
    this.window = new ThrottleWindow(options);
  }

  /** Nothing that was learned outlives the requests it was learned from. */
  advance(now: number): void {
    this.window.advance(now);
    if (this.window.requests === 0) this.easing = 1;
  }
}
