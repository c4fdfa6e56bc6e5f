import type { PolicyName } from '../../core/picking/index.js';
import type { Figure } from '../report/figure.js';
import type { Result } from '../report/result.js';

/** How far a scenario is, all of its runs together. */
export interface Progress {
  /** From 0 to 1. */
  readonly share: number;
  /** Simulated so far. */
  readonly events: number;
}

export interface ScenarioOptions {
  readonly seed: number;
  /** Which policies to compare, where a scenario compares any. */
  readonly policies?: readonly PolicyName[];
  readonly onProgress?: (progress: Progress) => void;
}

export interface ScenarioRun {
  readonly result: Result;
  readonly figures: readonly Figure[];
}

/** A built-in scenario: a fleet, and what is claimed of it. */
export interface Scenario {
  readonly name: string;
  /** In one line, for `--list`. */
  readonly claim: string;
  /** Compared when none are asked for; a scenario without is not about policies. */
  readonly policies?: readonly PolicyName[];
  run(options: ScenarioOptions): ScenarioRun;
}
