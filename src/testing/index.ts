/** Helpers for the tests of whoever uses Plimsoll. */
export { SeededRandom } from '../core/seeded-random.js';
export { VirtualClock } from './virtual-clock.js';
