import type { Backend, Environment, LoadReport, Probing } from '../../core/index.js';
import type { HealthMonitor } from '../health/index.js';

/** How often a client without requests looks whether a probe is due; the policy decides. */
const IDLE_MS = 250;

/** Asks backends for a policy that probes. */
export class Probes {
  readonly #probing: Probing;
  readonly #monitor: HealthMonitor;
  readonly #environment: Environment;
  readonly #timer: NodeJS.Timeout;

  constructor(probing: Probing, monitor: HealthMonitor, environment: Environment) {
    this.#probing = probing;
    this.#monitor = monitor;
    this.#environment = environment;
    this.#timer = setInterval(() => this.send(environment.monotonicMs()), IDLE_MS);
    this.#timer.unref();
  }

  /** All that are due. */
  send(now: number): void {
    const probing = this.#probing;
    for (let backend = probing.nextProbe(now); backend !== undefined; backend = probing.nextProbe(now))
      this.#ask(backend);
  }

  #ask(backend: Backend): void {
    this.#monitor.probe(backend.key, this.#probing.timeoutMs, (report: LoadReport | undefined) => {
      const now = this.#environment.monotonicMs();
      if (report === undefined) this.#probing.onFailure(backend, now);
      else this.#probing.onAnswer(backend, report, now);
    });
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
