import type { FaultKind, Fleet, Sample } from '../fleet/index.js';
import { Timer } from '../kernel/timer.js';
import type { DrawnFleet } from './draw-fleet.js';
import { AMPLE_DRAIN_MS, AMPLE_SPREAD_MS } from './draw-service.js';
import { Expectation } from './expectation.js';
import type { Violations } from './violations.js';

/** Rates of the last second still say "quiet" until then. */
const SETTLING_MS = 1_000;
/** How many requests to run at once takes longer to learn. */
const LEARNING_MS = 10_000;

/**
 * A backend that can be expected to get so many requests gets at least one. Round robin misses its share by less than
 * one for each client, least-loaded by what is active; a weight is a tenth of the mean at the least, so 4 of 40. What
 * Prequal holds against a backend it forgets after 2 s, and then asks it first.
 */
const ENOUGH = 40;

/** Of requests in a fleet with room: chance, in a queue or a deadline. */
const TOLERATED = 0.005;

/** Half of all requests take no longer than so many times what one takes on average at its slowest. */
const MOST_TIMES = 3;

/** Of what it can do, a flooded service does so much at the least. */
const LEAST_SERVED = 0.3;

/** What no request breaks of: planned, or nothing that requests have to do with. */
const ORDERLY: readonly FaultKind[] = ['restart', 'lame-duck', 'coordinator-gone', 'exchange-gone'];

/** Whether everything works in the end: after the time in which a fleet has to recover. */
export class Liveness {
  readonly #fleet: Fleet;
  readonly #drawn: DrawnFleet;
  readonly #violations: Violations;
  readonly #expectation: Expectation;

  constructor(fleet: Fleet, drawn: DrawnFleet, violations: Violations) {
    const { warmupMs, durationMs } = fleet.spec;
    this.#fleet = fleet;
    this.#drawn = drawn;
    this.#violations = violations;
    this.#expectation = new Expectation(fleet);
    fleet.kernel.at(warmupMs + durationMs, new Timer(() => this.#checkOpinions()));
  }

  get isCalm(): boolean {
    return this.#expectation.isCalm;
  }

  /** Once the run is over. */
  check(): void {
    const { isFlooded, finalMs } = this.#drawn;
    const sinceMs = finalMs + (isFlooded ? LEARNING_MS : SETTLING_MS);
    const samples = this.#fleet.samples.filter(({ fromMs }) => fromMs >= sinceMs);
    if (isFlooded) this.#checkFlood(samples);
    if (!this.isCalm) return;
    this.#checkService(samples);
    this.#checkStarvation(samples);
    this.#checkRestarts();
  }

  /** While there is traffic: nobody is thought ill of any more. */
  #checkOpinions(): void {
    if (!this.isCalm) return;
    const { clients, services } = this.#fleet;
    const links = [
      ...clients.flatMap(({ door }) => door.links),
      ...services.flatMap(({ backends }) => backends.flatMap(({ process }) => process.calls)),
    ];
    for (const link of links) {
      for (const { key, state } of link.roster.members()) {
        this.#violations.unless(state === 'ready', 'everything recovers', () => {
          return `${key} is ${state} to a client, long after all faults`;
        });
      }
    }
  }

  /** With room for all, all are served, fully and soon. */
  #checkService(samples: readonly Sample[]): void {
    for (const group of this.#fleet.groups) {
      const { name } = group;
      const of = samples.map(({ groups }) => groups[name]!);
      const ended = of.reduce((sum, { ends }) => sum + endedOf(ends), 0);
      const failed = of.reduce((sum, { ends }) => sum + endedOf(ends) - ends.served, 0);
      const share = this.#expectation.failureShare + TOLERATED;
      const most = share * ended + 4 * Math.sqrt(share * ended) + 2;
      this.#violations.unless(failed <= most, 'everything recovers', () => {
        return `of the last ${ended} requests of ${name} ${failed} were not served, at most ${most.toFixed(1)} may`;
      });
      const medians = of.map(({ p50Ms }) => p50Ms ?? 0).sort((a, b) => a - b);
      const median = medians[medians.length >> 1]!;
      const mostMs = MOST_TIMES * this.#expectation.takesMs(group);
      this.#violations.unless(median <= mostMs, 'everything recovers', () => {
        return `half of the last requests of ${name} take longer than ${median} ms, at most ${mostMs.toFixed(1)} ms`;
      });
    }
  }

  #checkStarvation(samples: readonly Sample[]): void {
    for (const { name, backends } of this.#fleet.services) {
      for (const [index, backend] of backends.entries()) {
        const expected = this.#expectation.perSecond(backend) * samples.length;
        if (expected < ENOUGH) continue;
        const came = samples.reduce((sum, { services }) => sum + services[name]!.arrivals[index]!, 0);
        this.#violations.unless(came > 0, 'no usable backend starves', () => {
          return `${backend.key} got none of about ${expected.toFixed(0)} requests in the last ${samples.length} s`;
        });
      }
    }
  }

  /** Where all that happens is orderly, and there is time for it, no request breaks: not one, in the whole run. */
  #checkRestarts(): void {
    const { faults, services, network } = this.#fleet.spec;
    const isOrderly = faults.every(({ kind }) => ORDERLY.includes(kind));
    const hasTime = Object.values(services).every(
      ({ drainMs, spreadMs }) => drainMs >= AMPLE_DRAIN_MS && spreadMs >= AMPLE_SPREAD_MS,
    );
    if (!isOrderly || !hasTime || network.lossShare > 0) return;
    for (const { name, traffic } of this.#fleet.groups) {
      const { broken } = traffic.all.ends;
      this.#violations.unless(broken === 0, 'no request fails in a restart', () => {
        return `${broken} requests of ${name} were broken off`;
      });
    }
  }

  /** A backend keeps serving what it was made for, however much more there is. */
  #checkFlood(samples: readonly Sample[]): void {
    const served = samples.reduce((sum, { groups }) => sum + groups['group0']!.ends.served, 0);
    const possible = this.#expectation.capacity(this.#fleet.service('front')) * samples.length;
    this.#violations.unless(served >= LEAST_SERVED * possible, 'a flood is survived', () => {
      return `${served} requests were served in the last ${samples.length} s, of ${possible.toFixed(0)} that could be`;
    });
  }
}

function endedOf(ends: Sample['groups'][string]['ends']): number {
  return Object.values(ends).reduce((sum, count) => sum + count, 0);
}
