import type { SettingsProblem } from '../../../src/config/settings-error.js';
import type { PolicyName } from '../../../src/core/picking/index.js';
import type { Figure } from '../../../src/simulator/report/figure.js';
import type { Result } from '../../../src/simulator/report/result.js';
import type { Progress } from '../../../src/simulator/scenarios/scenario.js';

/** What is simulated: a built-in scenario, or a fleet of one's own as YAML. */
export type Subject =
  | { readonly kind: 'scenario'; readonly name: string }
  | { readonly kind: 'fleet'; readonly text: string };

/** All that decides what comes out; what a link to a simulation says. */
export interface Choice {
  readonly subject: Subject;
  readonly seed: number;
  /** Empty: as the scenario or the fleet has it. */
  readonly policies: readonly PolicyName[];
}

/** What the page asks its worker. */
export type Question =
  | { readonly kind: 'catalogue' }
  | { readonly kind: 'check'; readonly text: string }
  | { readonly kind: 'run'; readonly choice: Choice };

/** A built-in scenario, as it is listed. */
export interface ScenarioEntry {
  readonly name: string;
  readonly claim: string;
  /** Those that it compares by itself; undefined where policies are not its subject. */
  readonly policies: readonly PolicyName[] | undefined;
}

/** What a fleet takes to be simulated. */
export interface Effort {
  readonly requests: number;
  /** Between processes that know each other: they decide how much memory is needed. */
  readonly links: number;
  readonly seconds: number;
}

/** A fleet that a built-in scenario ran, to be changed and run again. */
export interface FleetText {
  readonly name: string;
  readonly text: string;
}

export interface FinishedRun {
  readonly claim: string;
  readonly result: Result;
  readonly figures: readonly Figure[];
  readonly fleets: readonly FleetText[];
}

export interface Refusal {
  readonly kind: 'refused';
  readonly problems: readonly SettingsProblem[];
  /** How many there are besides. */
  readonly more: number;
}

/** What the worker says. */
export type Answer =
  | { readonly kind: 'catalogue'; readonly scenarios: readonly ScenarioEntry[] }
  | { readonly kind: 'checked'; readonly effort: Effort }
  | Refusal
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'done'; readonly run: FinishedRun }
  | { readonly kind: 'failed'; readonly text: string };
