import { fileURLToPath } from 'node:url';

/**
 * Mutation testing of the decisions: `npm run mutation -- src/core/picking`. What it says is in docs/mutation.md.
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  testRunner: 'beside',
  plugins: [fileURLToPath(new URL('scripts/mutation/runner.mjs', import.meta.url))],
  // A mutant is tried with the tests that run through it, and with no other.
  coverageAnalysis: 'perTest',
  // Both cores of the smallest machine.
  concurrency: 2,
  // Most endless loops are ended by Stryker's count of how often a mutant is passed. The rest wait for this; shorter,
  // and a test that was not given a processor for a while would count as one that has found something.
  timeoutMS: 10_000,
  // Nor does a busy machine end it all at the first look at the tests (5 minutes unless told).
  dryRunTimeoutMinutes: 30,
  // The sandbox holds what the tests of the core need: they import nothing else.
  ignorePatterns: ['**', '!src/core/**', '!test/properties.ts', '!package.json'],
  tempDirName: '.build/stryker',
  incremental: true,
  reporters: ['progress-append-only'],
  packageManager: 'npm',
  // Scores are watched per folder by the command, which exits with 1 below its bound.
  thresholds: { high: 90, low: 85, break: null },
};
