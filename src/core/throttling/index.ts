export {
  AdaptiveThrottle,
  THROTTLE_DEFAULTS,
  type ThrottleExplanation,
  type ThrottleOptions,
} from './adaptive-throttle.js';
export type { ThrottleStats } from './throttle-stats.js';
