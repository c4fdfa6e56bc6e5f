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

/** By which seed a scenario runs, and what it compares. */
export interface ScenarioOptions {
  /** The same one gives the same run. */
  readonly seed: number;
  /** Which policies to compare, where a scenario compares any. */
  readonly policies?: readonly PolicyName[];
  /** Told now and then how far it has come. */
  readonly onProgress?: (progress: Progress) => void;
}

/** What came of a scenario: rows and claims, and figures to be drawn. */
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
