import { Roster } from '../../health/roster.js';
import { LatencyByLoad } from '../../measuring/latency-by-load.js';
import { SeededRandom } from '../../seeded-random.js';
import { VirtualLoop } from '../../virtual-loop.contract.js';
import { createPicker, type PolicyName } from '../create-picker.js';

const WORKERS = 4;
const SERVICE_MS = 20;
const CLIENTS = 5;

/** A backend of four workers, first come first served, with exponential service times and Prequal's own estimate. */
class ModelBackend {
  readonly #loop: VirtualLoop;
  readonly #random: SeededRandom;
  readonly #latency = new LatencyByLoad();
  readonly #waiting: (() => void)[] = [];
  inFlight = 0;
  served = 0;
  slowness = 1;

  constructor(loop: VirtualLoop, random: SeededRandom) {
    this.#loop = loop;
    this.#random = random;
  }

  send(done: () => void): void {
    const arrivedMs = this.#loop.now;
    const inFlight = this.inFlight++;
    const start = () => {
      this.#loop.after(-Math.log(1 - this.#random.next()) * SERVICE_MS * this.slowness, () => {
        this.inFlight--;
        this.served++;
        this.#latency.record(this.#loop.now, inFlight, this.#loop.now - arrivedMs);
        done();
        this.#waiting.shift()?.();
      });
    };
    if (inFlight < WORKERS) start();
    else this.#waiting.push(start);
  }

  report() {
    const latencyMs = this.#latency.estimate(this.#loop.now, this.inFlight);
    return latencyMs === undefined ? { inFlight: this.inFlight } : { inFlight: this.inFlight, latencyMs };
  }
}

export interface FleetResult {
  readonly p50: number;
  readonly p99: number;
  /** Least served backend over the mean. */
  readonly leastShare: number;
  readonly shares: readonly number[];
}

/** Five clients on so many backends, after a second of warm-up. `slow` backends take so many times as long. */
export function runFleet(
  policy: PolicyName,
  size: number,
  load: number,
  seconds: number,
  slow: [number, number] = [0, 1],
): FleetResult {
  const loop = new VirtualLoop();
  const random = new SeededRandom(1);
  const keys = Array.from({ length: size }, (_, index) => String(index));
  const backends = keys.map(() => new ModelBackend(loop, random));
  for (const backend of backends.slice(0, slow[0])) backend.slowness = slow[1];
  const latencies: number[] = [];
  const unanswered = new Set<number>();
  const warmMs = 1_000;
  for (let client = 0; client < CLIENTS; client++) {
    const roster = new Roster();
    roster.update(keys);
    for (const key of keys) roster.mark(key, 'ready', 0);
    const picker = createPicker(roster, () => random.next(), policy);
    const perMs = (load * size * WORKERS) / SERVICE_MS / CLIENTS;
    const probe = () => {
      const { probing } = picker;
      for (let asked = probing?.nextProbe(loop.now); asked; asked = probing?.nextProbe(loop.now)) {
        const backend = asked;
        // Half a millisecond there and half a millisecond back.
        loop.after(0.5, () => {
          const report = backends[Number(backend.key)]!.report();
          loop.after(0.5, () => probing?.onAnswer(backend, report, loop.now));
        });
      }
    };
    const arrive = () => {
      loop.after(-Math.log(1 - random.next()) / perMs, arrive);
      const pick = picker.pick(loop.now);
      if (typeof pick === 'string') return;
      const sentMs = loop.now;
      if (sentMs >= warmMs) unanswered.add(sentMs);
      backends[Number(pick.backend.key)]!.send(() => {
        pick.done('answered', loop.now);
        unanswered.delete(sentMs);
        if (sentMs >= warmMs) latencies.push(loop.now - sentMs);
      });
      probe();
    };
    arrive();
  }
  loop.runUntil(warmMs + seconds * 1_000);
  // Those that still wait have waited at least as long.
  for (const sentMs of unanswered) latencies.push(loop.now - sentMs);
  latencies.sort((a, b) => a - b);
  const mean = backends.reduce((sum, { served }) => sum + served, 0) / size;
  const shares = backends.map(({ served }) => served / mean);
  return {
    p50: latencies[latencies.length >> 1]!,
    p99: latencies[Math.floor(latencies.length * 0.99)]!,
    leastShare: Math.min(...shares),
    shares,
  };
}
