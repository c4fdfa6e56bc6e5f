import type { Environment } from '../../core/index.js';

/** Time and chance of this process. */
export const HERE: Environment = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  random: () => Math.random(),
};
