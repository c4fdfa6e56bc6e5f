import type { Backend } from '../../core/health/index.js';
import type { LoadReport } from '../../core/load-report.js';
import type { Probing } from '../../core/picking/index.js';
import { Event } from '../kernel/event.js';
import { Timer } from '../kernel/timer.js';
import type { ServiceLink } from './service-link.js';
import type { SimulatedBackend } from './simulated-backend.js';
import type { World } from './world.js';

/** How often a link without requests asks whether a probe is due; the policy decides. */
const IDLE_CHECK_MS = 250;

/** What a link does for a policy that probes. Probes are used again: there are three for every request. */
export class Probes {
  readonly link: ServiceLink;
  readonly probing: Probing;
  readonly world: World;
  readonly #spare: Probe[] = [];
  readonly #idle: Timer;

  constructor(world: World, link: ServiceLink, probing: Probing) {
    this.world = world;
    this.link = link;
    this.probing = probing;
    this.#idle = new Timer((now) => {
      this.send(now, link.process.clock.toLocal(now));
      world.kernel.after(IDLE_CHECK_MS, this.#idle);
    });
    world.kernel.after(IDLE_CHECK_MS, this.#idle);
  }

  /** The process that asks is gone. */
  stop(): void {
    this.world.kernel.cancel(this.#idle);
  }

  /** All that are due. */
  send(now: number, local: number): void {
    const { probing } = this;
    for (let asked = probing.nextProbe(local); asked !== undefined; asked = probing.nextProbe(local)) {
      const probe = this.#spare.pop() ?? new Probe(this);
      probe.setOut(asked, this.link.service.backend(asked.key), now);
    }
  }

  done(probe: Probe): void {
    this.#spare.push(probe);
  }
}

/** A question to a backend, and its answer on the way back. */
class Probe extends Event {
  readonly #probes: Probes;
  #asked: Backend | undefined;
  #backend: SimulatedBackend | undefined;
  #report: LoadReport | undefined;
  #hasBeenThere = false;
  #sentMs = 0;

  constructor(probes: Probes) {
    super();
    this.#probes = probes;
  }

  setOut(asked: Backend, backend: SimulatedBackend, now: number): void {
    this.#asked = asked;
    this.#backend = backend;
    this.#report = undefined;
    this.#hasBeenThere = false;
    this.#sentMs = now;
    this.#travel(now);
  }

  happen(now: number): void {
    if (!this.#hasBeenThere) {
      this.#hasBeenThere = true;
      this.#report = this.#backend!.probe(now);
      this.#travel(now);
      return;
    }
    const { probing, link } = this.#probes;
    const local = link.process.clock.toLocal(now);
    if (this.#report === undefined) probing.onFailure(this.#asked!, local);
    else probing.onAnswer(this.#asked!, this.#report, local);
    this.#probes.done(this);
  }

  /** One way. What is lost, not answered or too slow is a failure at the end of its time. */
  #travel(now: number): void {
    const { world, link, probing } = this.#probes;
    const untilMs = this.#sentMs + probing.timeoutMs;
    const delayMs = world.network.delayMs(link.process.locality, this.#backend!.locality);
    const isUnanswered = link.process.isPartitioned || (this.#hasBeenThere && this.#report === undefined);
    if (isUnanswered || now + delayMs > untilMs) {
      this.#hasBeenThere = true;
      this.#report = undefined;
      world.kernel.at(Math.max(now, untilMs), this);
    } else {
      world.kernel.after(delayMs, this);
    }
  }
}
