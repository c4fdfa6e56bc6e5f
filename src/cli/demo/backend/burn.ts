import { ownCpuMs } from '../own-cpu.js';

/** Keeps a processor busy: so many rounds of a generator of random numbers (xorshift32), each of which needs the one before. */
export function burn(rounds: number, seed = 1): number {
  let x = seed;
  for (let round = 0; round < rounds; round++) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
  }
  return x;
}

/** The first ones run before the code is compiled, at a tenth of its speed. */
const TRIALS = 8;
const TRIAL_ROUNDS = 2_000_000;

/**
 * How many rounds take a millisecond of processor time: the fastest of some trials, so that whatever else the machine
 * does meanwhile counts for nothing. `cpuMs` is what this process has used so far.
 */
export function roundsPerMs(cpuMs: () => number = ownCpuMs): number {
  let best = 0;
  for (let trial = 0; trial < TRIALS; trial++) {
    const startMs = cpuMs();
    burn(TRIAL_ROUNDS, trial + 1);
    // The clock of a processor that is asked twice within its resolution says that no time has passed.
    best = Math.max(best, TRIAL_ROUNDS / Math.max(cpuMs() - startMs, 0.01));
  }
  return Math.round(best);
}
