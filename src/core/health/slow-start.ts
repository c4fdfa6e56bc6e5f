import { checkNonNegative, checkPositive, checkWithin, withDefaults } from '../check.js';
import { elapsedMs } from '../elapsed.js';

/** How a backend that has just become ready comes to its share. */
export interface SlowStartOptions {
  /** How long a backend that has become ready takes to reach its full weight; 0 = at once. */
  readonly windowMs: number;
  /** 1 rises in a straight line; above 1 faster at first, below 1 slower at first. */
  readonly aggression: number;
  /** It starts with this share of its weight. */
  readonly minimumShare: number;
}

export const SLOW_START_DEFAULTS: SlowStartOptions = Object.freeze({
  // Off unless given, as in Envoy: the right window is the service's own warm-up time (JIT, caches, pools), which only
  // its owner knows, and a window that is too long keeps capacity idle just when it was added because it was needed.
  windowMs: 0,
  // A straight line: Envoy's default, and the only slope that claims nothing about how the service warms up.
  aggression: 1,
  // Envoy's min_weight_percent. With less, a backend gets too few requests to warm up on; it must not be 0, which a
  // picker would read as "never".
  minimumShare: 0.1,
});

/** The options over their defaults, refused if impossible. */
export function checkSlowStart(given?: Partial<SlowStartOptions>): SlowStartOptions {
  const options = withDefaults('slowStart', SLOW_START_DEFAULTS, given);
  checkNonNegative('windowMs', options.windowMs);
  checkPositive('aggression', options.aggression);
  checkWithin('minimumShare', checkPositive('minimumShare', options.minimumShare), 0, 1);
  return Object.freeze(options);
}

/**
 * What a backend's weight is multiplied by while it is new: max(minimumShare, (t / window)^(1/aggression)), then 1
 * (Envoy, "Slow start mode"). `readySinceMs` of −Infinity is a backend that was always there.
 */
export function slowStartFactor(readySinceMs: number, now: number, options: SlowStartOptions): number {
  const readyMs = elapsedMs(readySinceMs, now);
  if (readyMs >= options.windowMs) return 1;
  return Math.max(options.minimumShare, (readyMs / options.windowMs) ** (1 / options.aggression));
}
