import type { UtilizationSignal } from '../admission/utilization-signal.js';
import type { LoadReport } from '../load-report.js';
import { LatencyByLoad } from '../measuring/latency-by-load.js';
import { RollingSum } from '../measuring/rolling-sum.js';

/** Rates are over the last second, in slots of 100 ms: fresh enough for a client that reweighs every second. */
const SECOND = { windowMs: 1_000, slots: 10 };

/**
 * What a backend says of its load with every answer and health check (SRE ch. 20, "Weighted Round Robin"; Prequal).
 * `inFlight` counts all that were let in and are not done, also those that wait: to a client that picks, they are ahead
 * of it.
 */
export class LoadReporter {
  readonly #signal: UtilizationSignal;
  readonly #served = new RollingSum(SECOND);
  readonly #errors = new RollingSum(SECOND);
  readonly #latency = new LatencyByLoad();
  inFlight = 0;

  constructor(signal: UtilizationSignal) {
    this.#signal = signal;
  }

  onServed(inFlightAtArrival: number, latencyMs: number, isError: boolean, now: number): void {
    this.#served.add(now);
    if (isError) this.#errors.add(now);
    // A fast failure is no sign of a fast backend.
    else this.#latency.record(now, inFlightAtArrival, latencyMs);
  }

  report(now: number): LoadReport {
    const latencyMs = this.#latency.estimate(now, this.inFlight);
    return {
      applicationUtilization: this.#signal.utilization(now),
      requestsPerSecond: this.#served.total(now),
      errorsPerSecond: this.#errors.total(now),
      inFlight: this.inFlight,
      ...(latencyMs === undefined ? {} : { latencyMs }),
    };
  }
}
