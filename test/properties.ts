import fc from 'fast-check';

/**
 * Every run is the same run: a failure on one machine is a failure on all, and the seed to reproduce it is this one.
 * `medium` is up to a hundred: by default arrays have about ten items, and windows, rings and pools never make a full turn.
 * To look for more: PLIMSOLL_PROPERTY_SEED=7 npm test -- unit
 */
fc.configureGlobal({
  seed: Number(process.env['PLIMSOLL_PROPERTY_SEED'] ?? 1),
  baseSize: 'medium',
  // For thousands of mutants a property is tried less often, and nobody reads the smallest counterexample.
  ...(process.env['PLIMSOLL_MUTATION'] !== undefined && { numRuns: 30, endOnFailure: true }),
});
