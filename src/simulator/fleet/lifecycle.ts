import type { Kernel } from '../kernel/kernel.js';
import { Timer } from '../kernel/timer.js';
import type { SimulatedBackend } from './simulated-backend.js';

/** How often a process that wants to exit looks whether it may. */
const DRAIN_CHECK_MS = 20;

/** Where a process is in its life. */
export type LifeStage = 'up' | 'lame-duck' | 'draining' | 'down' | 'starting';

/** Starts, stops and restarts of one backend's process. */
export class Lifecycle {
  readonly #backend: SimulatedBackend;
  readonly #kernel: Kernel;
  readonly #timer: Timer;
  #stage: LifeStage = 'up';
  #drainingSinceMs = 0;
  /** When it is started again, or ready again. */
  #untilMs = 0;
  #whenUp: (() => void)[] = [];

  constructor(backend: SimulatedBackend, kernel: Kernel) {
    this.#backend = backend;
    this.#kernel = kernel;
    this.#timer = new Timer((now) => this.#proceed(now));
  }

  get stage(): LifeStage {
    return this.#stage;
  }

  /** Dead at once, with all that it was doing; started again after so long. */
  kill(downMs: number): void {
    this.#backend.exit();
    this.#stayFor(downMs, 'down');
  }

  /** Told once, when it is ready: at once if it is. */
  whenUp(tell: () => void): void {
    if (this.#stage === 'up') tell();
    else this.#whenUp.push(tell);
  }

  /** As an orderly deploy does it (SRE ch. 20): lame duck, drain, exit, start. */
  restart(): void {
    // Whoever is on its way down or up already will be ready in any case.
    if (this.#stage !== 'up' && this.#stage !== 'lame-duck') return;
    this.#backend.becomeLameDuck();
    this.#stage = 'draining';
    this.#drainingSinceMs = this.#kernel.now;
    this.#kernel.after(DRAIN_CHECK_MS, this.#timer);
  }

  lameDuck(forMs: number): void {
    if (this.#stage !== 'up' && this.#stage !== 'lame-duck') return;
    this.#backend.becomeLameDuck();
    this.#stayFor(forMs, 'lame-duck');
  }

  /** Of two faults the one that lasts longer. */
  #stayFor(forMs: number, stage: 'down' | 'lame-duck'): void {
    const leastMs = this.#stage === stage ? this.#untilMs : 0;
    this.#stage = stage;
    this.#untilMs = Math.max(leastMs, this.#kernel.now + forMs);
    this.#kernel.at(this.#untilMs, this.#timer);
  }

  #proceed(now: number): void {
    const { startMs } = this.#backend.service.spec;
    switch (this.#stage) {
      case 'draining':
        if (this.#mayExit(now)) this.kill(0);
        else this.#kernel.after(DRAIN_CHECK_MS, this.#timer);
        return;
      case 'down':
        this.#stage = 'starting';
        this.#backend.start();
        this.#kernel.after(startMs, this.#timer);
        return;
      default:
        this.#stage = 'up';
        this.#backend.becomeReady(now);
        for (const tell of this.#whenUp.splice(0)) tell();
    }
  }

  /** When all clients have heard and nothing is left to do; at the latest when the time for that is over. */
  #mayExit(now: number): boolean {
    const { spreadMs, drainMs } = this.#backend.service.spec;
    const drainingMs = now - this.#drainingSinceMs;
    if (drainingMs < spreadMs) return false;
    return this.#backend.process.activeCount === 0 || drainingMs >= spreadMs + drainMs;
  }
}
