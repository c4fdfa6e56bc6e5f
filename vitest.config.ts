import { defineConfig } from 'vitest/config';
import { DearestFirst } from './test/dearest-first.js';

/** Seconds each: they run apart from what is to be fast. */
const SIMULATIONS = ['src/simulator/{scenarios,fuzz}/*.test.ts'];

const HOUSE_RULES = 'test/tidy/tidy.test.ts';

export default defineConfig({
  test: {
    // Both cores of the smallest machine: decisions wait for nothing, so a worker a core is right.
    maxWorkers: 2,
    sequence: { sequencer: DearestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          // House rules too: whoever runs these before a commit hears of a file that has grown too long.
          include: ['src/**/*.test.ts', 'dashboard/src/**/*.test.ts', HOUSE_RULES],
          exclude: ['src/**/*.contract.test.ts', ...SIMULATIONS],
          setupFiles: ['test/properties.ts'],
          // They wait for nothing: what takes longer was not given a processor.
          testTimeout: 60_000,
          isolate: false,
          pool: 'threads',
        },
      },
      {
        // Models of fleets and servers over minutes of virtual time: what the decisions add up to.
        test: {
          name: 'models',
          include: ['src/**/*.contract.test.ts'],
          setupFiles: ['test/properties.ts'],
          testTimeout: 60_000,
          isolate: false,
          pool: 'threads',
        },
      },
      {
        // Whole fleets: the built-in scenarios, and fleets drawn at random.
        test: {
          name: 'simulations',
          include: SIMULATIONS,
          setupFiles: ['test/properties.ts'],
          testTimeout: 120_000,
          isolate: false,
          pool: 'threads',
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', HOUSE_RULES],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Real processes share a machine with whatever else runs on it: what holds at the second try is reported as
          // retried, what is broken fails twice.
          retry: 1,
        },
      },
      {
        // The page in a real browser, before the real program.
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          retry: 1,
        },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/core/**/*.ts'],
      exclude: ['src/core/**/*.test.ts', 'src/core/**/*.contract.ts'],
      reporter: ['text-summary', 'json-summary'],
      // Decision code that no test runs is a decision nobody has looked at.
      thresholds: { lines: 100, branches: 100, functions: 100, statements: 100 },
    },
  },
});
