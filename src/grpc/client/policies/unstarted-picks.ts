import type { PickedCall } from './picked-call.js';

/** Picks that grpc-js has been handed in this turn of the event loop, looked after in the next. */
export class UnstartedPicks {
  #picks: PickedCall[] = [];

  add(pick: PickedCall): void {
    if (this.#picks.push(pick) > 1) return;
    setImmediate(() => {
      const picks = this.#picks;
      this.#picks = [];
      for (const each of picks) each.giveBackUnlessStarted();
    });
  }
}
