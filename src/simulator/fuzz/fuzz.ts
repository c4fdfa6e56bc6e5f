import { Fleet, type FleetInput } from '../fleet/index.js';
import { checkAftermath, drain } from './aftermath.js';
import { type DrawnFleet, drawFleet } from './draw-fleet.js';
import { Liveness } from './liveness.js';
import { type Violation, Violations } from './violations.js';
import { Watch } from './watch.js';

/** What came of a fleet that was drawn at random. */
export interface FuzzOutcome {
  readonly seed: number;
  readonly fleet: FleetInput;
  /** What must not be, and was: empty when all is well. */
  readonly violations: readonly Violation[];
  readonly requests: number;
  readonly events: number;
  /** So much room that it is also checked how well everything is served in the end. */
  readonly isCalm: boolean;
}

/** How far a fleet that was drawn at random may go. */
export interface FuzzOptions {
  /** Told of the fleet before it runs: to break something, and see that it is found out. */
  readonly onFleet?: (fleet: Fleet) => void;
  /**
   * A hundred times what a run has, unless given. Without it, one that turns in circles at one instant would never be
   * heard of.
   */
  readonly mostEvents?: number;
}

/** Draws a fleet, lets everything happen to it, and checks what must hold of any fleet. The same for the same seed. */
export function fuzzFleet(seed: number, options?: FuzzOptions): FuzzOutcome {
  return checkFleet(drawFleet(seed), seed, options);
}

/** The same for a fleet that is given. */
export function checkFleet(
  drawn: DrawnFleet,
  seed: number,
  { onFleet, mostEvents = 10_000_000 }: FuzzOptions = {},
): FuzzOutcome {
  const violations = new Violations();
  const fleet = new Fleet(drawn.input, {
    seed,
    onProgress: (_, events) => {
      if (events > mostEvents) throw new Error(`after ${events} events there was no end in sight`);
    },
  });
  onFleet?.(fleet);
  const watch = new Watch(fleet, violations);
  const liveness = new Liveness(fleet, drawn, violations);
  try {
    fleet.run();
    drain(fleet);
    checkAftermath(fleet, watch, violations);
    liveness.check();
  } catch (error) {
    // A decision that was asked for something impossible says so.
    violations.unless(false, 'nothing throws', () => (error as Error).stack!);
  }
  const requests = fleet.groups.reduce((sum, { traffic }) => sum + traffic.all.offered, 0);
  return {
    seed,
    fleet: drawn.input,
    violations: violations.all,
    requests,
    events: fleet.kernel.events,
    isCalm: liveness.isCalm,
  };
}

/** What to tell whoever has to find the cause. */
export function describeOutcome({ seed, violations }: FuzzOutcome): string {
  const lines = violations.map(({ invariant, details }) => `  ${invariant}: ${details}`);
  return [`seed ${seed} fails:`, ...lines, `again: npm run fuzz:simulator -- --seed ${seed}`].join('\n');
}
