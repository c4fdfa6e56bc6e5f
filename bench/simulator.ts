import { SeededRandom } from 'plimsoll/core';
import { Event, Kernel } from 'plimsoll/simulator';
import { measure } from './measure.js';
import type { Check, Report } from './report.js';

/** What the simulator promises of its kernel, on one core. */
const FLOOR = 1e6;

const MEAN_DELAY_MS = 100;

/** Drawn beforehand: what is measured is the kernel, not the logarithm. A power of two, to go round by a mask. */
const DELAYS = 1 << 16;

function exponentialDelays(): Float64Array {
  const random = new SeededRandom(1);
  return Float64Array.from({ length: DELAYS }, () => -MEAN_DELAY_MS * Math.log(1 - random.next()));
}

/** The hold model, by which event queues are compared: what happens is scheduled again at a random later time. */
class Held extends Event {
  constructor(
    readonly kernel: Kernel,
    readonly delays: Float64Array,
    private next: number,
  ) {
    super();
  }

  happen(): void {
    this.kernel.after(this.delays[this.next++ & (DELAYS - 1)]!, this);
  }
}

/** Of several classes, as in any simulation: with one alone the engine knows too much. */
const HELD = [
  class extends Held {},
  class extends Held {},
  class extends Held {},
  class extends Held {},
  class extends Held {},
];

/** Puts off its deadline each time, as a request with a timeout does. */
class HeldWithDeadline extends Held {
  readonly deadline = new Deadline();

  override happen(): void {
    super.happen();
    this.kernel.after(20 * MEAN_DELAY_MS, this.deadline);
  }
}

/** Hardly ever reached: put off anew long before. */
class Deadline extends Event {
  happen(): void {}
}

/** `operations`: what one event comes to. */
function hold(scheduled: number, classes: (typeof Held)[], operations = 1): (count: number) => void {
  const kernel = new Kernel();
  const delays = exponentialDelays();
  for (let index = 0; index < scheduled; index++) {
    new classes[index % classes.length]!(kernel, delays, index * 7_919).happen();
  }
  const stepMs = (1_000 / scheduled) * MEAN_DELAY_MS;
  let wanted = 0;
  return (count) => {
    // A step is about a thousand events; those too many are done for the next call.
    wanted += count / operations;
    while (kernel.events < wanted) kernel.runUntil(kernel.now + stepMs);
  };
}

const WORKLOADS: [name: string, make: () => (count: number) => void][] = [
  ['kernel: events, 1,000 scheduled', () => hold(1_000, HELD)],
  ['kernel: events, 100,000 scheduled', () => hold(100_000, HELD)],
  // One that happens and one that is moved, each for itself.
  ['kernel: events and moves, 2 × 1,000 scheduled', () => hold(1_000, [HeldWithDeadline], 2)],
  ['kernel: events and moves, 2 × 100,000 scheduled', () => hold(100_000, [HeldWithDeadline], 2)],
];

export function benchSimulator(): Report {
  const rows = WORKLOADS.map(([name, make]) => measure(name, make()));
  const checks = rows.map(
    ({ name, perSecond }): Check => ({
      name,
      value: Math.round(perSecond),
      bound: `>= ${FLOOR}`,
      holds: perSecond >= FLOOR,
    }),
  );
  return { bench: 'simulator', rows, checks };
}
