import { defineConfig } from 'vitest/config';
import { ALONE } from './test/alone.js';
import { DearestFirst } from './test/dearest-first.js';

/** Seconds each: they run apart from what is to be fast. */
const SIMULATIONS = ['src/simulator/{scenarios,fuzz}/*.test.ts'];

const HOUSE_RULES = 'test/tidy/tidy.test.ts';

/**
 * Real processes share a machine with whatever else runs on it: what holds at the second try is reported as retried, what is
 * broken fails twice.
 */
const REAL = { testTimeout: 120_000, hookTimeout: 120_000, retry: 1 };

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
          exclude: ['test/e2e/**', HOUSE_RULES, ...ALONE],
          ...REAL,
          isolate: false,
          // Not threads: what a guard measures of its processor is of a whole process.
          pool: 'forks',
          // Most of the time they wait, for processes and timers.
          maxWorkers: 4,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'integration-alone',
          include: ALONE,
          ...REAL,
          // These need a processor now and then.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // The page in a real browser, before the real program.
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          ...REAL,
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
