import type { GateState, LoadReport } from '../../../src/core/index.js';
import { type HealthSource, StateListeners } from '../../../src/server/health/index.js';

/** A backend that is as it is told to be. */
export class FakeSource implements HealthSource {
  report: LoadReport = { inFlight: 3, requestsPerSecond: 20 };
  readonly #listeners = new StateListeners('ready');
  #state: GateState = 'ready';

  state(): GateState {
    return this.#state;
  }

  loadReport(): LoadReport {
    return this.report;
  }

  onStateChange(listener: (state: GateState) => void): () => void {
    return this.#listeners.add(listener);
  }

  become(state: GateState): void {
    this.#state = state;
    this.#listeners.tell(state);
  }
}

/** Waits for what must come to be, and not for a time. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
